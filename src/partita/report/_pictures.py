"""The pictures of the page: which display, what it is called, and how to read it."""

from typing import Any, NamedTuple

from partita import plotting
from partita.report._material import Material, attempt
from partita.report._parts import Picture
from partita.report._svg import draw


class _Plan(NamedTuple):
    display: str  # its name in partita.plotting
    title: str
    caption: str


_PLANS = {
    "heatmap": _Plan(
        "CoassociationDisplay",
        "How often two objects are put together",
        "Rows and columns are the same objects, in the order of the tree beside them; objects that join early in the "
        "tree are put together by most clusterings. A dark cell is a pair that all clusterings put together, a light "
        "cell a pair that none does. Dark squares along the diagonal are clusters; shaded cells between two of them "
        "are objects that some clusterings put into one and some into the other. The coloured strip shows the "
        "clusters.",
    ),
    "scatter": _Plan(
        "ScatterDisplay",
        "A map of the objects",
        "Each mark is an object, in the colour of its cluster; objects that most clusterings put together lie near "
        "each other, and a faint mark has a low confidence. The axes are the two directions in which the labels differ "
        "most, and two cannot show all differences: clusters that overlap here may be far apart in others.",
    ),
    "membership": _Plan("MembershipDisplay", "Membership of the objects in the clusters", ""),
    "uncertainty": _Plan(
        "UncertaintyDisplay",
        "Confidence of the objects, cluster by cluster",
        "Each coloured shape holds the objects of one cluster, from the most certain at its top to the least certain. "
        "The further it reaches to the right, the clearer its objects belong to it. What lies at 0 or to the left of "
        "it is in doubt: the labels of these objects speak for another cluster at least as much.",
    ),
    "agreement": _Plan(
        "AgreementDisplay",
        "Agreement of the base clusterings",
        "Rows and columns are the base clusterings, and the consensus; a dark cell means that two of them agree beyond "
        "what chance would give. A row that is light throughout is a clustering that agrees with no other one.",
    ),
    "cdf": _Plan(
        "ConsensusCDFDisplay",
        "Consensus over the numbers of clusters",
        "For each number of clusters, how often pairs of objects are put together. A curve that is flat in the middle "
        "and jumps at both ends is good: pairs are together always or never. PAC is the share of pairs in between (the "
        "lower the better); the delta area shows how much each further cluster adds. The number of this result is "
        "marked.",
    ),
    "tracking": _Plan(
        "TrackingDisplay",
        "Where the objects go when the number of clusters grows",
        "Each row is a number of clusters, and each column is an object; the colour is its cluster. Where a block of "
        "one colour splits cleanly into two, a cluster was divided; where colours mix, objects change their cluster, "
        "and these clusters are less certain.",
    ),
}
_BARS = 5  # annotations beside the heatmap, as many as it takes
_MEMBERSHIP = (
    "Each column is an object, and each row is a cluster; a dark cell means that {what}. Objects with one dark cell "
    "are clear, objects with several shaded cells lie between clusters. {warning}"
)
_WHAT = {
    "votes": ("most of its labels vote for this cluster", "Votes are not probabilities of being right."),
    "probabilities": (
        "the model of the method gives this cluster a high probability",
        "It is the probability under the model, not the probability of being right.",
    ),
}


def picture(material: Material, name: str, **options: Any) -> list[Any]:
    """The picture as a part of the page, or a sentence that says why there is none."""
    plan = _PLANS[name]
    caption = plan.caption
    if name == "membership":
        what, warning = _WHAT[material.result.membership_kind]
        caption = _MEMBERSHIP.format(what=what, warning=warning)

    if name == "heatmap" and material.annotations is not None:
        options["annotations"] = material.annotations.iloc[:, :_BARS]

    def make() -> Picture:
        display = getattr(plotting, plan.display).from_result(material.result, **options)
        return Picture(f"picture-{name}", plan.title, draw(display, f"picture-{name}", plan.title), caption)

    return attempt(f'The picture "{plan.title}"', make)
