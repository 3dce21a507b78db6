"""When a federated fit by columns is refused, because its messages show what a site may want to keep.

The tests play those who read the messages. From the replies of one site they read the partition of the objects into
those with equal labels there (with one clustering, the clustering itself), and, from several exchanges, single
clusterings of a site with several. From sums over all sites the leading site of an encrypted federation can do the
same, without learning whose clusterings they are. So a fit by columns always shows somebody clusterings; what the
options change is whom, and every site has to accept it.
"""

from collections.abc import Sequence

from partita.exceptions import DisclosureError

_PLAIN = (
    "federation by columns would show the coordinator, from the replies of each site ({sites}), which objects have "
    "equal labels there: for a site with one clustering that is the clustering itself, up to the names of its labels, "
    "and with several, single ones can be computed."
)
_TWO = (
    "with two sites ({sites}) encryption hides replies from the server only: the leading site reads the sum, subtracts "
    "its own part, and has the other site's reply, which shows the clusterings of that site."
)
_LED = (
    "with {n} sites ({sites}) encryption hides replies from the server, but the leading site reads their sum for every "
    "object, and with many more objects than labels it can compute single clusterings of the others from it, although "
    "not whose they are."
)
_PAPER = (
    "paper=True sends, for every clustering by itself, the log-probabilities of each object's label: the coordinator "
    "reads every clustering of every site ({sites}) off, up to the names of its labels."
)
_ACCEPT = "pass accept_disclosure=True if all sites trust {whom} with their clusterings."


def check_disclosure(names: Sequence[str], *, encrypted: bool, paper: bool, accepted: bool) -> None:
    """Refuse a fit by columns that shows somebody clusterings of a site, unless that is accepted."""
    if paper and encrypted:
        raise ValueError("paper=True sends every clustering by itself, so that there is no sum to encrypt; pass one.")
    if accepted:
        return
    shown, instead, whom = _case(len(names), encrypted=encrypted, paper=paper)
    told = shown.format(sites=", ".join(names), n=len(names))
    raise DisclosureError(f"{told} {instead}{_ACCEPT.format(whom=whom)}")


def _case(n_sites: int, *, encrypted: bool, paper: bool) -> tuple[str, str, str]:
    """What is shown, what to do instead, and to whom it is shown."""
    if paper:
        return _PAPER, "Leave paper=True out and read what is then shown, or ", "the coordinator"
    if not encrypted:
        return _PLAIN, "Pass encrypted=True to keep the server out of it, and ", "the coordinator or the leading site"
    if n_sites == 2:
        return _TWO, "Find more sites, or ", "each other"
    return _LED, "Share no clusterings that must stay secret, or ", "the leading site"
