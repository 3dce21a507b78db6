"""What those learn who read the messages of a fit by columns: they are played here, with nothing but the messages."""

import numpy as np
import pytest

from partita import BCE, MultinomialMixture
from partita.exceptions import DisclosureError, SiteError
from partita.federated import simulate
from partita.federated._sites import PlainSites
from partita.federated.columns._fit import fit_columns, simulate_columns
from partita.federated.columns._site import ColumnSite
from tests.ensembles import same_partition
from tests.federated.columns.parts import Recorder, opened, split_columns

LABELS = 4
MIXTURE = MultinomialMixture(4, n_init=1, random_state=0)


def clusterings(m, n=600, flip=0.3, seed=0):
    """Noisy copies of one clustering."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(LABELS, size=n)
    flipped = [np.where(rng.random(n) < flip, rng.integers(LABELS, size=n), truth) for _ in range(m)]
    return np.column_stack([rng.permutation(LABELS)[labels] for labels in flipped])


def overhear(estimator, parts, **options):
    """Fit, and keep what the coordinator receives."""
    kept = []

    def sites_of(owners):
        kept.append(Recorder(owners))
        return PlainSites(kept[0])

    simulate_columns(estimator, parts, accept_disclosure=True, sites_of=sites_of, **options)
    return kept[0]


@pytest.fixture(scope="module")
def bce():
    """Our messages of BCE, and the clusterings behind them."""
    parts = split_columns(clusterings(4), (1,))  # a site with one clustering, and one with three
    return parts, overhear(BCE(4, n_init=1, tol=1e-3, random_state=0), parts)


# ------------------------------------------------------------------------------------------------------- the attacks
def equal_rows(numbers):
    """Partition into objects with equal replies."""
    scaled = np.round(numbers / np.abs(numbers).max(), 10)
    return np.unique(scaled, axis=0, return_inverse=True)[1].ravel()


def meet(X):
    """Partition into objects with equal labels."""
    return np.unique(X, axis=0, return_inverse=True)[1].ravel()


def beta_of(phi, w):
    """Beta of the label of each object, up to a factor, if phi is of one clustering: phi = beta exp(w) / s."""
    beta = phi / np.exp(w)
    return beta / beta.sum(axis=1, keepdims=True)


class Span:
    """What sums over columns span: every reply is a sum over clusterings of numbers that depend on the label alone.

    With enough exchanges that is the span of the indicators of all labels. A set of objects is a union of labels of one
    clustering only if its indicator is in the span, which the attacker can verify; and two such sets are of the same
    clustering if their intersection is one, too.
    """

    def __init__(self, replies):
        self.rows = equal_rows(replies[:, -12:])
        first = np.unique(self.rows, return_index=True)[1]
        centred = replies[first] - replies[first].mean(axis=0)
        basis, size, _ = np.linalg.svd(centred / np.maximum(centred.std(axis=0), 1e-12), full_matrices=False)
        self.basis = basis[:, size > 1e-8 * size[0]]

    def has(self, split):
        centred = split - split.mean()
        rest = centred - self.basis @ (self.basis.T @ centred)
        return np.linalg.norm(rest) < 1e-6 * np.linalg.norm(centred)

    def two_values(self, rng):
        """A direction of extreme kurtosis, as in independent component analysis, cut at its largest gap."""
        points = self.basis * np.sqrt(len(self.basis))
        direction = rng.standard_normal(points.shape[1])
        for _ in range(60):
            direction /= np.linalg.norm(direction)
            direction = (points * ((points @ direction) ** 3)[:, None]).mean(axis=0) - 3 * direction
        values = points @ direction
        ordered = np.sort(values)
        gap = np.diff(ordered).argmax()
        return values > ordered[gap : gap + 2].mean()


def single_clusterings(replies, tries=150):
    """The clusterings that can be computed from sums over columns."""
    span, rng, groups = Span(replies), np.random.default_rng(0), []
    splits = (span.two_values(rng) for _ in range(tries))
    for split in filter(span.has, splits):
        same = [group for group in groups if span.has(split & group[0])]
        (same[0] if same else groups.append([]) or groups[-1]).append(split)
    return [meet(np.array(group).T)[span.rows] for group in groups]


def all_found(X, found):
    return all(any(same_partition(column, one) for one in found) for column in X.T)


# ---------------------------------------------------------------------------------------------- what the attacks show
def test_the_papers_messages_are_the_clusterings():
    parts = split_columns(clusterings(5), (2,))
    heard = overhear(BCE(4, n_init=1, tol=1e-2, random_state=0), parts, paper=True)
    for site, X in parts.items():
        for column, logs in zip(X.T, heard.replies("paper.send", site, "logs")[2], strict=True):
            assert same_partition(equal_rows(logs), column)


def test_with_one_clustering_phi_divided_by_w_is_the_clustering(bce):
    parts, heard = bce
    steps = [(values, replies) for question, values, replies in heard.log if question == "bce.step"]
    late = [step for step in steps if len(step[0]["objects"]) == 600][-1]  # objects differ in w by then
    values, replies = late
    assert len(np.unique(np.round(values["w"], 6), axis=0)) > 1
    assert same_partition(equal_rows(beta_of(replies["s0"]["phi"], values["w"])), parts["s0"][:, 0])


def test_with_several_clusterings_the_first_reply_shows_which_objects_are_alike(bce):
    parts, heard = bce
    values = next(values for question, values, _ in heard.log if question == "bce.step")
    assert np.ptp(values["w"], axis=0).max() < 1e-12
    assert same_partition(equal_rows(heard.replies("bce.step", "s1", "phi")[0]), meet(parts["s1"]))


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_logs_of_the_mixture_show_single_clusterings(m):
    parts = split_columns(clusterings(m + 1), (m,))
    heard = overhear(MIXTURE, parts)
    replies = np.hstack(heard.replies("start.logs", "s0", "logs"))
    assert same_partition(equal_rows(replies[:, -12:]), meet(parts["s0"]))
    assert all_found(parts["s0"], single_clusterings(replies))


def test_sums_over_three_sites_show_their_clusterings_to_whoever_reads_the_sums():
    X = clusterings(3)
    heard = overhear(MIXTURE, split_columns(X, (1, 2)))
    sums = sum(np.hstack(heard.replies("mixture.columns", site, "logs")) for site in ("s0", "s1", "s2"))
    assert all_found(X, single_clusterings(sums))


def test_of_two_sites_each_has_the_others_reply():
    parts = split_columns(clusterings(2), (1,))
    heard = overhear(MIXTURE, parts)
    total, own = (
        sum(heard.replies("mixture.columns", site, "logs")[1] for site in sites) for sites in (("s0", "s1"), ("s0",))
    )
    assert same_partition(equal_rows(total - own), parts["s1"][:, 0])


def test_the_attack_does_not_find_clusterings_where_there_are_none():
    """The check above can fail: random numbers of as many dimensions span no set of objects."""
    replies = np.random.default_rng(0).standard_normal((600, 12))
    assert single_clusterings(replies) == []


# ------------------------------------------------------------------------------------------------------------ the rule
@pytest.mark.parametrize(
    ("n_sites", "options", "shown", "advice"),
    [
        (3, {}, "show the coordinator.*the clustering itself", "encrypted=True"),
        (3, {"paper": True}, "reads every clustering of every site", "Leave paper=True out"),
        (2, {"encrypted": True}, "subtracts its own part", "more sites"),
        (3, {"encrypted": True}, "leading site reads their sum.*not whose they are", "must stay secret"),
    ],
)
def test_what_would_be_shown_is_said_before_anything_is_sent(n_sites, options, shown, advice):
    kept = []

    def sites_of(owners):
        kept.append(Recorder(owners))
        return PlainSites(kept[0])

    parts = split_columns(clusterings(n_sites, n=30), tuple(range(1, n_sites)))
    with pytest.raises(DisclosureError, match=f"{shown}.*{advice}.*accept_disclosure=True"):
        simulate_columns(BCE(2), parts, sites_of=sites_of, **options)
    with pytest.raises(DisclosureError, match=shown):
        simulate(BCE(2), parts, by="columns", **options)
    assert kept == []


def test_a_site_refuses_what_only_the_coordinator_accepts():
    parts = split_columns(clusterings(2, n=30), (1,))
    owners = {name: ColumnSite(part, name=name, accept_disclosure=name == "s0") for name, part in parts.items()}
    recorder = Recorder(owners)
    with pytest.raises(SiteError, match=r"site 's1' answered: "):
        fit_columns(PlainSites(recorder), MIXTURE, accept_disclosure=True)
    assert {question for question, _, _ in recorder.log} <= {"describe", "open"}


def test_a_site_that_was_not_opened_sends_nothing():
    site = ColumnSite(clusterings(2, n=30), name="s0")
    with pytest.raises(DisclosureError):
        site.answer("open", {"names": ["s0", "s1"], "paper": False, "weights": [1, 1]})
    with pytest.raises(ValueError, match="before the fit was opened"):
        site.answer("columns.observe", {"exchange": 0})


def test_a_site_says_nothing_without_consent():
    site = ColumnSite(clusterings(2, n=30), name="a")
    with pytest.raises(DisclosureError):
        site.answer("describe", {})


def test_the_papers_messages_are_for_fits_that_were_opened_so():
    """A coordinator that opens a fit without them cannot ask for them afterwards."""
    _, owners, _ = opened(BCE(3), split_columns(clusterings(3, n=30), (2,)))
    for owner in owners.values():
        with pytest.raises(ValueError, match="does not send its clusterings one by one"):
            owner.answer("paper.send", {"action": "go", "place": 0})
