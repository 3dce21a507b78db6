"""The one table of pictures: their names on the command line and in ``result.plot``, displays, and what they show."""

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of picture."""

    display: str  # its class in partita.plotting
    words: str  # what it shows
    of_result: bool = True  # whether it shows one result; else it compares methods, or clusterings


KINDS = {
    "coassociation": Kind("CoassociationDisplay", "how often every two objects are together, with the tree"),
    "membership": Kind("MembershipDisplay", "probabilities of the clusters of each object, or votes for them"),
    "uncertainty": Kind("UncertaintyDisplay", "confidence of the objects of each cluster"),
    "dendrogram": Kind("DendrogramDisplay", "tree of evidence accumulation, lifetimes and the cut"),
    "cdf": Kind("ConsensusCDFDisplay", "distribution of the co-association, delta area and PAC over k"),
    "tracking": Kind("TrackingDisplay", "cluster of each object over k"),
    "agreement": Kind("AgreementDisplay", "every clustering against every other and the consensus"),
    "relation": Kind("RelationDisplay", "graph of the clusters"),
    "convergence": Kind("ConvergenceDisplay", "objective or bound per iteration, of several methods"),
    "curve": Kind("CurveDisplay", "a quantity over a parameter, for several methods", of_result=False),
    "rank": Kind("RankDisplay", "mean ranks of methods, with the critical difference", of_result=False),
    "resolutions": Kind("ResolutionTreeDisplay", "how clusters split and merge over clusterings", of_result=False),
    "scatter": Kind("ScatterDisplay", "objects in two dimensions, certain ones opaque"),
}
