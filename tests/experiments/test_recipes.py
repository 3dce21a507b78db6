"""The papers' ensembles: every number of the recipes."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from partita import ensemble_recipe
from partita._optional import available
from partita.experiments import NUMBERS_OF_CLUSTERS, RECIPES, recipe_input
from partita.generation import _feature_ensemble
from tests.ensembles import noisy_ensemble

needs_metis = pytest.mark.skipif(not available("pymetis"), reason="pymetis is not installed")

# what each recipe is made from, and options that make it small
SMALL = {"n_clusterings": 6}
TABLE = {
    "eac": ("features", SMALL),
    "pcc-1": ("features", SMALL),
    "peace-1": ("features", SMALL),
    "pcc-2": ("features", {"n_clusters": [2, 3], "n_repeats": 1}),
    "peace-2": ("features", {"n_clusters": [2, 3], "n_repeats": 1}),
    "peace-1a": ("features", SMALL),
    "peace-1b": ("features", SMALL),
    "pcc-simulated": ("nothing", {"n_clusterings": 6, "n_per_cluster": 5}),
    "pcc-large": ("features", SMALL),
    "nbce-synthetic": ("nothing", {"n_clusterings": 2, "n_per_cluster": 10}),
    "nbce": ("features", {"n_classes": 3}),
    "bce": ("features", {"n_classes": 3, "n_clusterings": 8, "n_ensembles": 2, "size": 4}),
    "bce-mixed": ("features", {"n_classes": 3, "n_clusterings": 20, "n_ensembles": 2, "size": 4}),
    "bce-missing": ("labels", {"n_draws": 2}),
    "bce-columns": ("labels", {"sizes": [1, 3], "n_draws": 2}),
    "bce-rows": ("labels", {}),
    "bce-timing": ("labels", {"sizes": [2, 4]}),
    "gbce": ("features", {"n_classes": 3, "n_clusterings": 10, "n_draws": 2}),
}
NOT_RANDOM = ("bce-rows", "bce-timing")


@pytest.fixture
def F():
    rng = np.random.default_rng(1)
    return np.repeat(5 * np.eye(3), 20, axis=0) + rng.standard_normal((60, 3))


@pytest.fixture
def labels():
    return noisy_ensemble(sizes=(20, 13, 10), n_clusterings=20, missing=0.0).X


def given(kind, F, labels):
    return {"features": F, "labels": labels, "nothing": None}[kind]


def settings(made, name):
    return [draw.setting[name] for draw in made.draws]


def assert_same(one, two):
    assert (one.labels == two.labels).all()
    assert one.manifest.equals(two.manifest)
    for (a, X), (b, Y) in zip(one.ensembles(), two.ensembles(), strict=True):
        assert str(a.setting) == str(b.setting)
        assert (X == Y).all()
        assert all((s == t).all() for s, t in zip(a.blocks, b.blocks, strict=True))


def test_all_recipes_are_in_the_table():
    assert set(TABLE) == set(RECIPES)


@pytest.mark.parametrize("name", TABLE)
def test_a_recipe_depends_on_the_seed_and_not_on_the_threads(name, F, labels):
    kind, options = TABLE[name]
    if name == "bce-mixed" and not available("pymetis"):
        pytest.skip("pymetis is not installed")
    X = given(kind, F, labels)
    assert recipe_input(name) == kind
    with pytest.raises(ValueError, match="there is no recipe"):
        recipe_input([name])
    made = ensemble_recipe(name, X, random_state=3, **options)
    assert_same(made, ensemble_recipe(name, X, random_state=3, n_jobs=3, **options))
    assert len(made.manifest) == made.labels.shape[1]
    assert len([*made.ensembles()]) == len(made.draws) > 0


@pytest.mark.parametrize("name", [name for name in TABLE if name not in NOT_RANDOM])
def test_another_seed_makes_another_ensemble(name, F, labels):
    kind, options = TABLE[name]
    if name == "bce-mixed" and not available("pymetis"):
        pytest.skip("pymetis is not installed")
    X = given(kind, F, labels)
    one, two = (ensemble_recipe(name, X, random_state=seed, **options) for seed in (0, 1))
    with pytest.raises(AssertionError):
        assert_same(one, two)


def test_eac_is_kmeans_with_numbers_of_a_range(F):
    made = ensemble_recipe("eac", F, n_clusters=(3, 5), random_state=0)
    assert made.labels.shape == (60, 100)
    assert set(made.manifest["n_clusters"]) == {3, 4, 5}
    assert set(made.manifest["algorithm"]) == {"kmeans"}
    assert len(made.draws) == 1


@pytest.mark.parametrize("name", ["pcc-1", "peace-1", "peace-1a", "peace-1b"])
@pytest.mark.parametrize(("n", "low", "high"), [(60, 4, 7), (49, 4, 7), (144, 6, 12)])
def test_ensemble_1_has_100_clusterings_with_half_the_root_of_n_to_its_root_clusters(name, n, low, high):
    F = np.random.default_rng(0).random((n, 3))
    manifest = ensemble_recipe(name, F, random_state=0).manifest
    assert len(manifest) == 100
    assert sorted(set(manifest["n_clusters"])) == list(range(low, high + 1))
    algorithm = {"peace-1a": "spherical-kmeans", "peace-1b": "spherical-minibatch-kmeans"}.get(name, "kmeans")
    assert set(manifest["algorithm"]) == {algorithm}
    assert (manifest["n_sampled"] == n).all()


def test_text_recipes_take_sparse_features(rng):
    F = sparse.random_array((64, 30), density=0.3, format="csr", rng=rng)
    assert ensemble_recipe("peace-1a", F, n_clusterings=4, random_state=0).labels.shape == (64, 4)


def numbers(text):
    """The list of K as the papers print it, such as 3-10,15,20."""
    parts = [part.split("-") for part in text.split(",")]
    return [k for part in parts for k in range(int(part[0]), int(part[-1]) + 1)]


def test_numbers_of_clusters_are_those_of_the_papers_tables():
    assert {
        "spiral": numbers("2-8"),
        "image-c": numbers("8-15,20,30"),
        "rings": numbers("2-8"),
        "image-1": numbers("8-15,20,30"),
        "iris": numbers("3-10,15,20"),
        "wine": numbers("4-10,15,20"),
        "house-votes": numbers("4-10,15,20"),
        "ionosphere": numbers("4-10,15,20"),
        "std-yeast-cell": numbers("5-10,15,20"),
        "breast-cancer": numbers("3-10,15,20"),
        "optdigits": numbers("10,12,15,20,35,50"),
    } == NUMBERS_OF_CLUSTERS


SIX = ["single", "average", "ward", "centroid", "kmeans", "spectral"]


@pytest.mark.parametrize(("name", "n_sampled"), [("pcc-2", 150), ("peace-2", 135)])
def test_ensemble_2_has_six_algorithms_with_every_number_and_peace_a_new_sample_for_each(name, n_sampled):
    made = ensemble_recipe(name, load_iris().data, dataset="iris", random_state=0)
    runs = made.manifest.groupby("algorithm", sort=False)["n_clusters"].agg(list)
    once = numbers("3-10,15,20")
    assert runs.index.tolist() == SIX
    for algorithm, ks in runs.items():
        times = 5 if algorithm in ("kmeans", "spectral") else 1
        assert sorted(ks) == sorted(once * times)
    assert (made.manifest["n_sampled"] == n_sampled).all()
    assert ((made.labels >= 0).sum(axis=0) == n_sampled).all()
    if name == "peace-2":
        assert len({tuple(column >= 0) for column in made.labels.T}) == made.labels.shape[1]


def test_ensemble_2_takes_given_numbers_or_the_most_frequent_list(F):
    made = ensemble_recipe("pcc-2", F, n_clusters=(2, 3), n_repeats=1, random_state=0)
    assert made.manifest["n_clusters"].tolist() == [2, 3] * 6
    usual = ensemble_recipe("pcc-2", F, n_repeats=1, random_state=0)
    assert set(usual.manifest["n_clusters"]) == set(numbers("4-10,15,20"))
    with pytest.raises(ValueError, match="dataset='moons' is not known; choose 'spiral'"):
        ensemble_recipe("pcc-2", F, dataset="moons")


def test_pcc_simulated_draws_from_the_posterior_of_four_gaussians_one_in_each_quadrant():
    made = ensemble_recipe("pcc-simulated", random_state=0)
    assert made.labels.shape == (800, 1000)
    assert made.features.shape == (800, 2)
    assert made.truth.shape == (800, 4)
    assert np.allclose(made.truth.sum(axis=1), 1)
    # log y_a / y_0 = (m_a - m_0) . x - (|m_a|^2 - |m_0|^2) / 2 for Gaussians of variance 1: find the means from it
    inner = (made.truth > 1e-12).all(axis=1)
    log_ratio = np.log(made.truth[inner, 1:] / made.truth[inner, :1])
    lines, *_ = np.linalg.lstsq(np.column_stack([made.features[inner], np.ones(inner.sum())]), log_ratio, rcond=None)
    assert np.allclose(np.column_stack([made.features[inner], np.ones(inner.sum())]) @ lines, log_ratio, atol=1e-8)
    apart, constant = lines[:2].T, lines[2]
    first, *_ = np.linalg.lstsq(apart, -constant - (apart**2).sum(axis=1) / 2, rcond=None)
    means = np.vstack([first, first + apart])
    assert {tuple(sign) for sign in np.sign(means).astype(int)} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    for number, mean in enumerate(means):
        block = made.features[200 * number : 200 * (number + 1)]
        assert np.abs(block.mean(axis=0) - mean).max() < 4.5 / np.sqrt(200)


def test_pcc_simulated_objects_are_labelled_by_their_probabilities():
    made = ensemble_recipe("pcc-simulated", n_per_cluster=10, random_state=0)
    share = np.array([np.bincount(row, minlength=4) for row in made.labels]) / 1000
    assert (np.abs(share - made.truth) <= 4.5 * np.sqrt(made.truth * (1 - made.truth) / 1000) + 1e-6).all()


def test_pcc_large_has_100_kmeans_of_half_the_objects_with_2_to_10_clusters(F):
    made = ensemble_recipe("pcc-large", F, random_state=0)
    assert made.labels.shape == (60, 100)
    assert ((made.labels >= 0).sum(axis=0) == 30).all()
    assert set(made.manifest["n_clusters"]) == set(range(2, 11))
    assert settings(made, "pairs") == [0.00025]


def test_nbce_synthetic_has_ten_copies_for_each_of_four_shares_of_changed_labels():
    made = ensemble_recipe("nbce-synthetic", random_state=0)
    n = len(made.truth)
    assert made.features.shape == (n, 2)
    assert set(made.truth) == {0, 1}
    assert settings(made, "noise") == [0.05, 0.1, 0.15, 0.2]
    used = []
    for draw, X in made.ensembles():
        assert X.shape == (n, 10)
        assert ((made.truth[:, None] != X).sum(axis=0) == round(draw.setting["noise"] * n)).all()
        used += draw.columns.tolist()
    assert sorted(used) == list(range(40))


def test_nbce_synthetic_takes_a_partition():
    truth = np.repeat(["u", "v", "w"], 20)
    made = ensemble_recipe("nbce-synthetic", truth, noise=[0.5], n_clusterings=3, random_state=0)
    assert made.features is None
    codes = np.repeat([0, 1, 2], 20)[:, None]
    assert (codes != made.labels).sum(axis=0).tolist() == [30] * 3


@pytest.mark.parametrize(
    ("n_classes", "expected"),
    [(2, [2, 2, 2, 3, 4]), (3, [2, 2, 3, 5, 6]), (5, [3, 4, 5, 8, 10]), (6, [3, 5, 6, 9, 12]), (7, [4, 5, 7, 11, 14])],
)
def test_nbce_has_50_to_200_percent_of_the_classes_rounded_half_up_twice_each(n_classes, expected, F):
    made = ensemble_recipe("nbce", F, n_classes=n_classes, random_state=0)
    assert sorted(made.manifest["n_clusters"]) == sorted(2 * expected)
    assert made.labels.shape == (60, 10)
    (draw,) = made.draws
    training, test = draw.blocks
    assert (len(training), len(test)) == (45, 15)
    assert sorted([*training, *test]) == list(range(60))


def test_bce_shuffles_2000_kmeans_into_100_disjoint_ensembles_of_20():
    made = ensemble_recipe("bce", np.random.default_rng(0).random((12, 1)), n_classes=2, random_state=0, n_jobs=2)
    assert made.labels.shape == (12, 2000)
    assert (made.manifest["n_clusters"] == 2).all()
    columns = np.array([draw.columns for draw in made.draws])
    assert columns.shape == (100, 20)
    assert sorted(columns.ravel()) == list(range(2000))
    assert not (np.sort(columns.ravel()) == columns.ravel()).all()
    draw, X = next(iter(made.ensembles()))
    assert (made.labels[:, draw.columns] == X).all()


def test_bce_makes_the_ensembles_of_the_kdd_data(F):
    made = ensemble_recipe("bce", F, n_classes=4, n_clusterings=15, n_ensembles=3, size=5, random_state=0)
    assert sorted(np.concatenate([draw.columns for draw in made.draws])) == list(range(15))
    with pytest.raises(ValueError, match="100 ensembles of 20 need 2000 clusterings, but n_clusterings=15"):
        ensemble_recipe("bce", F, n_classes=4, n_clusterings=15)


@needs_metis
def test_bce_mixed_pools_kmeans_fuzzy_metis_and_affinity_in_the_papers_shares(F):
    made = ensemble_recipe("bce-mixed", F, n_classes=3, n_clusterings=40, n_ensembles=2, random_state=0)
    counts = made.manifest["algorithm"].value_counts().to_dict()
    assert counts == {"kmeans": 10, "fuzzy": 16, "metis": 4, "affinity": 10}
    assert made.labels.shape == (60, 40)
    assert sorted(np.concatenate([draw.columns for draw in made.draws])) == list(range(40))
    of_affinity = made.labels[:, (made.manifest["algorithm"] == "affinity").to_numpy()]
    assert (of_affinity == of_affinity[:, :1]).all()


def test_bce_missing_loses_0_to_90_percent_ten_times_each(labels):
    made = ensemble_recipe("bce-missing", labels, random_state=0)
    assert np.allclose(settings(made, "missing"), np.repeat(np.linspace(0, 0.9, 21), 10))
    assert settings(made, "draw") == [*range(10)] * 21
    patterns = set()
    for draw, X in made.ensembles():
        lost = X == -1
        assert lost.sum() == round(draw.setting["missing"] * labels.size)
        assert (X[~lost] == made.labels[~lost]).all()
        patterns.add(lost.tobytes())
    assert len(patterns) == 201  # nothing is lost in ten of them
    assert (made.labels >= 0).all()


def test_bce_columns_draws_1_to_20_columns_fifty_times_each(labels):
    made = ensemble_recipe("bce-columns", labels, random_state=0)
    assert settings(made, "n_clusterings") == [s for s in range(1, 21) for _ in range(50)]
    for draw, X in made.ensembles():
        assert X.shape == (43, draw.setting["n_clusterings"])
        assert len(set(draw.columns)) == len(draw.columns)
    assert len({tuple(draw.columns) for draw in made.draws if draw.setting["n_clusterings"] == 10}) == 50
    with pytest.raises(ValueError, match="sizes has 6, but there are 5 clusterings"):
        ensemble_recipe("bce-columns", labels[:, :5])


def test_bce_rows_splits_the_rows_into_1_to_10_nearly_equal_blocks(labels):
    made = ensemble_recipe("bce-rows", labels, random_state=0)
    assert settings(made, "n_parties") == [*range(1, 11)]
    for draw in made.draws:
        sizes = [len(block) for block in draw.blocks]
        assert len(sizes) == draw.setting["n_parties"]
        assert max(sizes) - min(sizes) <= 1
        assert sorted(np.concatenate(draw.blocks)) == list(range(43))


def test_bce_timing_takes_20_to_1920_clusterings():
    made = ensemble_recipe("bce-timing", np.tile([[0], [1]], 3000))
    assert [X.shape[1] for _, X in made.ensembles()] == [20, 60, 120, 240, 480, 960, 1440, 1920]


def test_bce_timing_refuses_too_few_clusterings(labels):
    with pytest.raises(ValueError, match="3 clusterings"):
        ensemble_recipe("bce-timing", labels[:, :3])


def test_gbce_draws_1_to_10_of_50_and_weighs_labels_by_the_number_of_features(F):
    made = ensemble_recipe("gbce", F, n_classes=3, random_state=0)
    assert made.labels.shape == (60, 50)
    assert (made.manifest["n_clusters"] == 3).all()
    assert settings(made, "n_clusterings") == [s for s in range(1, 11) for _ in range(50)]
    assert set(settings(made, "label_weight")) == {3}
    assert all(sweep == [3 / 8, 3 / 4, 3 / 2, 3, 6, 12, 24] for sweep in settings(made, "label_weight_sweep"))
    assert all(X.shape[1] == draw.setting["n_clusterings"] for draw, X in made.ensembles())


def test_what_one_recipe_made_can_be_given_to_another(F):
    pool = ensemble_recipe("eac", F, n_clusterings=20, random_state=0)
    made = ensemble_recipe("bce-columns", pool, n_draws=1, random_state=0)
    assert len(made.draws) == 20
    assert made.labels.shape == (60, 20)


def test_label_recipes_take_a_table_of_text(labels):
    frame = pd.DataFrame({f"c{j}": np.array(["u", "v", "w"])[labels[:, j]] for j in range(4)})
    made = ensemble_recipe("bce-rows", frame)
    assert made.labels.shape == (43, 4)
    assert made.manifest["name"].tolist() == ["c0", "c1", "c2", "c3"]


FEW = np.array([[0.0], [1.0], [5.0], [6.0]])
WRONG = {
    "unknown name": (["magic"], {}, "there is no recipe 'magic'; choose from eac, pcc-1"),
    "a number": (["1"], {}, "there is no recipe '1'"),
    "unknown option": (["eac"], {"colour": 1}, "recipe 'eac' has no option 'colour'; it has n_clusterings, n_clusters"),
    "no classes": (["nbce"], {}, "recipe 'nbce' needs n_classes=...; its options are n_classes, n_runs, held_out"),
    "no features": (["pcc-2"], {}, "recipe 'pcc-2' needs features; pass X"),
    "no labels": (["bce-rows"], {}, "recipe 'bce-rows' needs labels; pass X"),
    "not an option": (["eac"], {"run": 1}, "recipe 'eac' has no option 'run'"),
    "no threads": (["eac", FEW], {"n_jobs": 0}, "n_jobs=0 is not a number of threads"),
    "nothing left": (["nbce", FEW], {"n_classes": 2, "held_out": 0.01}, "held_out=0.01 of 4 objects leaves a part"),
    "many parties": (["bce-rows", FEW.astype(int)], {"n_parties": [2, 5]}, "exceeds the 4 objects"),
    "large sets": (["gbce", FEW], {"n_classes": 2, "n_clusterings": 3, "sizes": [4]}, "sizes has 4, but there are 3"),
}

# what each option may not be; every option of every recipe is listed here
NOT_COUNTS = (0, -1, 1.5, True, "x", None, 10**9)
WRONG_OPTIONS = {
    **dict.fromkeys(["n_clusterings", "n_classes", "n_runs", "n_draws", "n_ensembles", "n_per_cluster"], NOT_COUNTS),
    "size": NOT_COUNTS,
    "n_clusters": (0, 2.5, "x", True, []),
    "n_repeats": (0, 1.5, "x", True, {"kmeans": 1.5}),
    "held_out": (0, 1, 2, -0.1, "x", None, True),
    "fraction": (2, -0.1, "x", None, True),
    "pairs": (0, 1.5, -1, "x", None, True),
    "shares": (2, [0.1, -1], "x", [[0.1]], []),
    "noise": (2, [0.1, -1], "x", None, []),
    "sizes": (0, [1, 2.5], "x", None, []),
    "n_parties": (0, [1, 2.5], "x", None, []),
    "dataset": ("moons", 3),
}


def options_of(name):
    return [option for option in signature(RECIPES[name].make).parameters if option not in ("X", "run")]


@pytest.mark.parametrize("name", RECIPES)
def test_every_option_is_checked_before_any_work(name, F, labels, monkeypatch):
    monkeypatch.setattr(_feature_ensemble, "run_tasks", None)
    kind, small = TABLE[name]
    X = given(kind, np.abs(F), labels)
    for option in options_of(name):
        for wrong in WRONG_OPTIONS[option]:
            with pytest.raises(ValueError, match=r"not allowed|must be|is not known|is an empty list|is not a range"):
                ensemble_recipe(name, X, **{**small, option: wrong})


@pytest.mark.parametrize("case", WRONG)
def test_wrong_recipes_are_refused(case):
    names, options, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        ensemble_recipe(*names, **options)
