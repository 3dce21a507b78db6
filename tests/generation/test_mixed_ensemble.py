"""Mixed ensembles: repeats, and settings that are refused."""

import pytest
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from partita import MixedEnsemble


def test_trees_run_once_and_others_as_often_as_requested(F):
    usual = MixedEnsemble(n_clusters=[2], random_state=0).fit(F).manifest_["algorithm"]
    assert usual.value_counts().to_dict() == {
        "single": 1, "average": 1, "ward": 1, "centroid": 1, "kmeans": 5, "spectral": 5
    }  # fmt: skip
    sampled = MixedEnsemble(n_clusters=[2], sample_fraction=0.9, random_state=0).fit(F).manifest_["algorithm"]
    assert (sampled.value_counts() == 5).all()


WRONG = {
    "unknown clusterer": (MixedEnsemble(["wrad"]), "clusterer='wrad' is not known; choose 'single', 'average'"),
    "no clusterer": (MixedEnsemble([]), "clusterers is empty"),
    "two of one name": (MixedEnsemble([KMeans(), KMeans(3)]), "two clusterers are called 'kmeans'; pass a dict"),
    "the same name": (MixedEnsemble(["kmeans", KMeans()]), "two clusterers are called 'kmeans'"),
    "repeats of another": (MixedEnsemble(["ward"], n_repeats={"kmeans": 3}), "n_repeats names 'kmeans', which is not"),
    "no repeats": (MixedEnsemble(["kmeans"], n_repeats={"kmeans": 0}), r"n_repeats\['kmeans'\]=0 is not allowed"),
    "half a repeat": (
        MixedEnsemble(["kmeans"], n_repeats={"kmeans": 1.5}),
        r"n_repeats\['kmeans'\]=1.5 is not allowed",
    ),
    "too many clusters": (MixedEnsemble(["ward"], [50]), "n_clusters=50 exceeds the 45 objects"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_settings_are_refused(case, F):
    generator, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        generator.fit(F)


def test_a_clusterer_must_have_fit_predict(F):
    with pytest.raises(
        TypeError,
        match=r"clusterer=StandardScaler.* is not an estimator with fit_predict .*; pass a name or a clusterer",
    ):
        MixedEnsemble([StandardScaler()]).fit(F)
