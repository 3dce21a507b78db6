"""Fits of more rows than fit in memory, against the fit in memory."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import (
    BCE,
    CSPA,
    ECPCS,
    HBGF,
    LWGP,
    MCLA,
    NBCE,
    PCC,
    QMI,
    USENC,
    LabelBlocks,
    LabelKMeans,
    MultinomialMixture,
    combine,
)
from partita.blocks.beyond import _models, _parts
from partita.blocks.beyond._fit import METHODS
from partita.blocks.beyond._judged import JudgedParts
from partita.blocks.beyond._label_space import sum_graph, sum_tables
from partita.consensus._methods import METHODS as TABLE
from partita.consensus.models._bce_steps import BCEState, better_gamma, flat_gamma, hard_gamma, settle
from partita.exceptions import NotEnoughMemoryError
from tests.blocks.ensembles import kmeans_labels

K = 6


@pytest.fixture(scope="module")
def ensemble():
    return kmeans_labels(6000, 8)


@pytest.fixture
def little_memory(monkeypatch):
    """Distinct rows take more memory than there is; tables and samples do not."""
    monkeypatch.setattr("partita.blocks._reduction._BYTES_OF_ROW", (1 << 40, 0))


def fit_both(make, X, rows=700):
    """The fit in memory, and that of blocks, whose rows do not fit."""
    expected = make().fit(X)
    model = make().fit(LabelBlocks.from_array(X, rows=rows))
    assert isinstance(model._judged, JudgedParts)
    return expected, model


# agreement with the fit in memory, and relative loss of the objective, that are allowed
CASES = {
    "LWGP": (lambda: LWGP(K, random_state=0), 0.99, None),
    "LWGP-found": (lambda: LWGP(random_state=0), 0.99, None),
    "USENC": (lambda: USENC(K, random_state=0), 0.99, None),
    "ECPCS": (lambda: ECPCS(K), 1.0, None),
    "MCLA": (lambda: MCLA(K, random_state=0, partitioner="spectral"), 0.99, None),
    "HBGF": (lambda: HBGF(K, random_state=0, partitioner="spectral"), 0.99, None),
    "CSPA": (lambda: CSPA(K, random_state=0, partitioner="spectral"), 0.99, None),
    "LabelKMeans": (lambda: LabelKMeans(K, random_state=0), 0.98, ("objective_", 1e-3)),
    "QMI": (lambda: QMI(K, random_state=0), 0.98, ("mutual_information_", 1e-3)),
    "MultinomialMixture": (lambda: MultinomialMixture(K, random_state=0), 0.97, ("lower_bound_", 2e-3)),
    "BCE": (lambda: BCE(K, random_state=0), 0.97, ("lower_bound_", 2e-3)),
    "NBCE": (lambda: NBCE("vb", truncation=25, n_init=2, random_state=0), 0.6, ("lower_bound_", 1e-2)),
    "PCC": (lambda: PCC(K, divergence="l2", random_state=0), 0.98, None),
}


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_that_of_the_fit_in_memory(name, ensemble):
    X, _ = ensemble
    make, least, objective = CASES[name]
    expected, model = fit_both(make, X)
    assert adjusted_rand_score(expected.labels_, model.labels_) >= least
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == len(np.unique(model.labels_[model.labels_ >= 0]))
    sizes = np.bincount(model.labels_[model.labels_ >= 0])
    assert (np.diff(sizes) <= 0).all()  # by decreasing size
    if objective is not None:
        attribute, allowed = objective
        ours, theirs = getattr(model, attribute), getattr(expected, attribute)
        loss = (ours - theirs if attribute == "objective_" else theirs - ours) / abs(theirs)
        assert loss <= allowed
    if hasattr(expected, "membership_"):
        member = np.vstack(list(model.membership_))
        np.testing.assert_allclose(member.sum(axis=1), 1, rtol=1e-9)
        np.testing.assert_array_equal(member.argmax(axis=1), model.labels_)
    agree = (model.predict(X) == model.labels_).mean()
    assert agree > 0.99


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("name", ["LWGP", "USENC", "HBGF", "CSPA", "MultinomialMixture", "PCC"])
def test_a_small_sample_is_enough_for_the_clusters(name, ensemble, monkeypatch):
    monkeypatch.setattr("partita.blocks.beyond._fit.SAMPLE", 2500)
    expected, model = fit_both(CASES[name][0], ensemble[0])
    assert adjusted_rand_score(expected.labels_, model.labels_) > 0.9


def test_the_table_of_methods_says_which():
    assert {row.estimator for row in TABLE.values() if row.beyond_memory} == set(METHODS)


def test_every_method_is_in_the_test():
    assert {name.split("-")[0] for name in CASES} == set(METHODS)


@pytest.mark.usefixtures("little_memory")
def test_holes_weights_and_objects_without_labels(ensemble):
    X = ensemble[0].copy()
    X[5] = np.nan
    X[6, :7] = np.nan  # labelled by the clustering of weight 0 alone
    weights = [1, 1, 2, 1, 0.5, 1, 1, 0]

    def make():
        return MultinomialMixture(K, weights=weights, random_state=0)

    with pytest.warns(UserWarning, match="2 of 6000 objects"):
        expected, model = fit_both(make, X)
    assert model.labels_[[5, 6]].tolist() == [-1, -1]
    assert adjusted_rand_score(expected.labels_, model.labels_) > 0.9
    assert len(model.theta_) == 8
    np.testing.assert_allclose(model.membership_[0][5], model.weights_, rtol=1e-12)


# ------------------------------------------------------------------------------------------------- sums over the parts
@pytest.fixture
def parts(ensemble, little_memory):
    from partita.blocks._engine import InThisProcess
    from partita.blocks._journal import Journal
    from partita.blocks.beyond._parts import make_parts

    X = ensemble[0]
    return make_parts(LabelBlocks.from_array(X, rows=700), BCE(K, random_state=0), InThisProcess(), Journal()), X


def whole_ensemble(X):
    """All rows at once."""
    model = BCE(K)
    from partita import check_label_matrix

    return model._open(check_label_matrix(X), np.ones(len(X))).ensemble


def test_sums_over_parts_are_those_over_all_rows(parts):
    made, X = parts
    rows, rng = whole_ensemble(X), np.random.default_rng(0)
    assert made.n == len(X)
    np.testing.assert_array_equal(made.layout.n_labels, rows.n_labels)
    logs = (np.log(rng.random((rows.n_cells, K))), np.log(rng.dirichlet(np.ones(K))))
    state = BCEState(np.full(K, 0.1), rng.random((rows.n_cells, K)), np.empty((0, K)), np.empty((0, K)))
    for function, values in [
        (_parts.count_labels, None),
        (sum_tables, None),
        (sum_graph, rng.random(rows.n_cells)),
        (_models.expect_mixture, logs),
        (_models.expect_memberships, (state, 0.0, 20)),
    ]:
        ours, theirs = made.total("test", function, values), function(rows, values)
        for name in theirs:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-9, err_msg=name)


def test_samples_are_uniform_without_replacement(parts):
    made, X = parts
    rows = made.sample(10**6, 0)
    whole = whole_ensemble(X)
    assert rows.row_weights.sum() == len(X)  # all of them
    assert rows.n_rows == whole.n_rows
    few = made.sample(500, 1)
    assert few.row_weights.sum() == 500
    counts = np.zeros(made.layout.n_cells)
    for seed in range(60):
        counts += made.sample(500, seed).cell_mass
    expected = whole.cell_mass / len(X) * 500 * 60
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected) + 5).all()


def test_at_most_64_parts_of_consecutive_blocks():
    blocks = LabelBlocks.from_array(np.zeros((1000, 2), dtype=int), rows=5)
    groups = list(_parts.group_blocks(blocks))
    assert len(groups) == 64
    assert [block.first for group in groups for block in group] == list(range(0, 1000, 5))


# ----------------------------------------------------------------------------------------------------- BCE and results
def test_the_better_of_two_fixed_points(ensemble):
    X, _ = ensemble
    model = BCE(K, random_state=0).fit(X[:400])
    problem = model._problem(model._open(*_matrix(X[:400])))
    gamma = better_gamma(problem, model._state)
    bounds = settle(problem, model._state, gamma)[1]
    for start in (flat_gamma(problem, model._state.alpha), hard_gamma(problem, model._state)):
        assert (bounds >= settle(problem, model._state, start)[1] - 1e-6).all()


def _matrix(X):
    from partita import check_label_matrix

    return check_label_matrix(X), np.ones(len(X))


@pytest.mark.usefixtures("little_memory")
def test_results_are_computed_from_the_blocks(ensemble):
    X, _ = ensemble
    blocks = LabelBlocks.from_array(X, rows=700)
    result = combine(blocks, random_state=0)
    expected = combine(X, random_state=0)
    assert result.n_clusters == expected.n_clusters
    assert adjusted_rand_score(result.labels, expected.labels) > 0.99
    table, other = result.clusters, expected.clusters
    assert np.abs(table["size"] - other["size"]).max() <= 0.01 * len(X)
    assert np.abs(table["consensus"] - other["consensus"]).max() < 0.05
    np.testing.assert_allclose(result.clusterings["nmi"], expected.clusterings["nmi"], atol=0.01)
    same = result.labels == expected.labels
    np.testing.assert_allclose(result.confidence[same], expected.confidence[same], atol=2.0)
    np.testing.assert_allclose(result.objects["vote"][same], expected.objects["vote"][same], atol=0.05)
    np.testing.assert_allclose(np.vstack(list(result.membership)).sum(axis=1), 1)
    with pytest.raises(NotEnoughMemoryError, match="combine a sample"):
        result.stability(n_resamples=2)


@pytest.mark.usefixtures("little_memory")
def test_a_model_can_be_stored_and_used_again(ensemble):
    X, _ = ensemble
    model = BCE(K, random_state=0).fit(LabelBlocks.from_array(X, rows=700))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.membership_[1], model.membership_[1])
    np.testing.assert_array_equal(again.confidence_, model.confidence_)
    gamma = again.gamma_[0]
    observed = np.isfinite(X[:700]).sum(axis=1)
    np.testing.assert_allclose(gamma.sum(axis=1), model.alpha_.sum() + observed, rtol=1e-9)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PCC(K), "divergence='l2'"),
        (lambda: NBCE("cvb"), "inference='vb'"),
        (lambda: ECPCS(K, output="tree"), "output='meta'"),
        (lambda: LabelKMeans(K, coding="raw"), "coding='onehot'"),
        (lambda: CSPA(K, pairs=20), "pairs='auto'"),
    ],
)
def test_forms_that_need_all_rows_say_what_to_pass(make, message, ensemble):
    with pytest.raises(ValueError, match=message):
        make().fit(LabelBlocks.from_array(ensemble[0], rows=700))


@pytest.mark.usefixtures("little_memory")
def test_the_objective_of_pcc_says_why_it_is_not_there(ensemble):
    model = PCC(K, divergence="l2", random_state=0).fit(LabelBlocks.from_array(ensemble[0], rows=700))
    assert model.kkt_gap_ <= model.tol
    with pytest.raises(NotEnoughMemoryError, match="all pairs of distinct rows"):
        _ = model.objective_


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("n_labels", [127, 128, 129, 130])
def test_codes_at_the_ends_of_small_types(n_labels):
    X = np.column_stack([np.arange(1000) % n_labels, np.arange(1000) % 3])
    expected, model = fit_both(lambda: MultinomialMixture(3, random_state=0), X, rows=400)
    assert adjusted_rand_score(expected.labels_, model.labels_) == 1.0
    many = LabelKMeans(n_labels, random_state=0, n_init=1, max_iter=20)
    labels = many.fit(LabelBlocks.from_array(np.repeat(X[:, :1], 2, axis=1), rows=400)).labels_
    assert len(np.unique(labels)) == n_labels


@pytest.mark.usefixtures("little_memory")
def test_bce_keeps_the_best_of_its_states():
    for seed in range(2):
        rng = np.random.default_rng(seed)
        truth = rng.integers(3, size=2000)
        X = np.where(rng.random((2000, 5)) < 0.2, rng.integers(4, size=(2000, 5)), truth[:, None])
        expected, model = fit_both(lambda: BCE(3, random_state=0), X)
        assert model.lower_bound_ == max(model.history_)
        assert model.lower_bound_ >= expected.lower_bound_


@pytest.mark.usefixtures("little_memory")
def test_nothing_of_an_earlier_fit_stays(ensemble):
    X = ensemble[0][:400]
    model = LabelKMeans(3, random_state=0, keep_starts=True).fit(X).set_params(keep_starts=False)
    model.fit(LabelBlocks.from_array(X, rows=100))
    assert not hasattr(model, "starts_")
    assert len(model.labels_) == 400
    model.fit(X[:50])
    assert isinstance(model.confidence_, np.ndarray)
    assert len(model.confidence_) == 50


@pytest.mark.usefixtures("little_memory")
@pytest.mark.filterwarnings("ignore:50 clusters were asked for")
def test_more_clusters_than_rows_of_the_sample(ensemble, monkeypatch):
    monkeypatch.setattr("partita.blocks.beyond._fit.SAMPLE", 20)
    with pytest.warns(UserWarning, match="distinct rows of the sample"):
        LabelKMeans(50, random_state=0).fit(LabelBlocks.from_array(ensemble[0][:500], rows=100))


def test_how_many_objects_each_part_gives():
    sizes, rng = np.array([10**9, 3 * 10**9, 5]), np.random.default_rng(0)
    drawn = np.mean([_parts._share_out(sizes, 20_000, rng) for _ in range(20)], axis=0)
    np.testing.assert_allclose(drawn, 20_000 * sizes / sizes.sum(), rtol=0.05, atol=0.5)
