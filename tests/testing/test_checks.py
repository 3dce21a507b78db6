"""Every check finds what it is for: an estimator that is broken in one way fails it, and a sound one passes."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from partita import EAC, LabelKMeans, MultinomialMixture
from partita.testing import PROMISES, check_consensus_estimator, consensus_estimator_checks, noisy_ensemble
from partita.testing._run import CHECKS
from tests.registry import ESTIMATORS


class Broken(LabelKMeans):
    """A sound method whose answer is spoilt by ``spoil`` after a fit, and whose input by ``misread`` before it."""

    _calls = 0

    def fit(self, X, y=None, sample_weight=None):
        X, sample_weight = self.misread(X, sample_weight)
        super().fit(X, sample_weight=sample_weight)
        self.spoil(np.asarray(X), sample_weight)
        return self

    def misread(self, X, sample_weight):
        return X, sample_weight

    def spoil(self, X, sample_weight):
        pass


class ReturnsNothing(Broken):
    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, sample_weight=sample_weight)


class WritesToParameters(Broken):
    def spoil(self, X, sample_weight):
        self.n_init = 1


class ChangesX(Broken):
    def spoil(self, X, sample_weight):
        X[0, 0] = 7


class PredictsOtherwise(Broken):
    def fit_predict(self, X, y=None):
        return self.fit(X).labels_[::-1]


class SmallestFirst(Broken):
    def spoil(self, X, sample_weight):
        self.labels_ = self.labels_.max() - self.labels_


class WithGaps(Broken):
    def spoil(self, X, sample_weight):
        self.labels_ = 2 * self.labels_


class CountsWrongly(Broken):
    def spoil(self, X, sample_weight):
        self.n_clusters_ += 1


class ClustersAll(Broken):
    def spoil(self, X, sample_weight):
        self.labels_ = self.labels_.clip(0)


class Silent(Broken):
    def fit(self, X, y=None, sample_weight=None):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return super().fit(X)


class Restless(Broken):
    def spoil(self, X, sample_weight):
        Broken._calls += 1
        self.labels_ = np.roll(self.labels_, Broken._calls)


class Threaded(Broken):
    def spoil(self, X, sample_weight):
        self.labels_ = np.roll(self.labels_, int(self.n_jobs == 4))


class ClonesAreFitted(Broken):
    def __sklearn_clone__(self):
        return self


class HoldsAFunction(Broken):
    def spoil(self, X, sample_weight):
        self.kept_ = lambda: X


class WholeNumbersOnly(Broken):
    def misread(self, X, sample_weight):
        return np.asarray(X).astype(np.int64), sample_weight


class ObjectByObject(Broken):
    def spoil(self, X, sample_weight):
        if len(X) <= 7:
            self.labels_ = np.arange(len(X)) + 1


class NeedsManyLabels(Broken):
    def spoil(self, X, sample_weight):
        self.labels_ = np.where((X >= 0).sum(axis=1) < 5, -1, self.labels_)


class TakesAnyLabels(Broken):
    def misread(self, X, sample_weight):
        X = np.asarray(X)
        return (X[:, None] if X.ndim == 1 else X), sample_weight


class RaisesAnything(Broken):
    def misread(self, X, sample_weight):
        if np.asarray(X).ndim != 2:
            raise KeyError("a label matrix has two dimensions")
        return X, sample_weight


class IgnoresWeights(Broken):
    def _clustering_weights(self, matrix):
        return np.ones(matrix.codes.shape[1])


class KnowsOnlyWeightZero(EAC):
    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, sample_weight=None if sample_weight is None else np.asarray(sample_weight) > 0)


class AlwaysThree(Broken):
    def fit(self, X, y=None, sample_weight=None):
        asked, self.n_clusters = self.n_clusters, 3
        super().fit(X, sample_weight=sample_weight)
        self.n_clusters = asked
        return self


class MissingIsALabel(Broken):
    def misread(self, X, sample_weight):
        return np.where(np.asarray(X) < 0, 99, X), sample_weight


class IgnoresSampleWeight(Broken):
    def misread(self, X, sample_weight):
        return X, None


class AnyNumber(Broken):
    def fit(self, X, y=None, sample_weight=None):
        asked, self.n_clusters = self.n_clusters, max(1, self.n_clusters)
        super().fit(X, sample_weight=sample_weight)
        self.n_clusters = asked
        return self


class FittedFromTheStart(Broken):
    labels_ = None


class FirstLabels(Broken):
    """Reads something off the numbers of the first clustering."""

    def spoil(self, X, sample_weight):
        self.labels_ = (X[:, 0].clip(0)).astype(np.int64)


class ByPosition(Broken):
    def spoil(self, X, sample_weight):
        self.labels_ = np.arange(len(X)) % 3


class CountsColumns(Broken):
    def spoil(self, X, sample_weight):
        self.labels_ = np.roll(self.labels_, int(X.shape[1] == 16))


class OneCluster(Broken):
    def __init__(self, n_clusters=None, *, weights=None):
        super().__init__(n_clusters, weights=weights)

    def _validate_params(self):
        pass

    def fit(self, X, y=None, sample_weight=None):
        self.labels_, self.n_clusters_ = np.zeros(len(X), dtype=np.int64), 1
        return self


class PlacesAllInOne(Broken):
    def predict(self, X):
        return np.zeros(len(X), dtype=np.int64)


class AlwaysPlaces(Broken):
    def predict(self, X):
        return super().predict(X).clip(0)


class Rising(Broken):
    def spoil(self, X, sample_weight):
        self.history_ = np.array([1.0, 2.0])
        self.objective_ = 2.0


class UpAndDown(Broken):
    def spoil(self, X, sample_weight):
        self.history_ = [1.0, 3.0, 2.0]
        del self.objective_


class BrokenModel(MultinomialMixture):
    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, sample_weight=sample_weight)
        self.spoil(sample_weight)
        return self

    def spoil(self, sample_weight):
        pass


class NotFinite(BrokenModel):
    def spoil(self, sample_weight):
        self.membership_[5] = np.nan


class DoesNotSumToOne(BrokenModel):
    def spoil(self, sample_weight):
        self.membership_ = 0.9 * self.membership_


class OtherOrder(BrokenModel):
    def spoil(self, sample_weight):
        self.membership_ = self.membership_[:, ::-1]


class NothingWithoutWeight(BrokenModel):
    def spoil(self, sample_weight):
        if sample_weight is not None:
            self.membership_[np.asarray(sample_weight) == 0] = 0


class Falling(BrokenModel):
    def spoil(self, sample_weight):
        self.history_ = [-1.0, -2.0]
        self.lower_bound_ = -2.0


class SharesOut(BrokenModel):
    def predict_proba(self, X):
        return np.full((len(X), self.n_components_), 1 / self.n_components_)


class Doubles(BrokenModel):
    def predict_proba(self, X):
        return 2 * super().predict_proba(X)


BROKEN = {
    "fit": [ReturnsNothing, WritesToParameters, ChangesX],
    "fit_predict": [PredictsOtherwise],
    "clusters by size": [SmallestFirst, WithGaps, CountsWrongly],
    "number of clusters": [AlwaysThree],
    "unlabelled objects": [ClustersAll, Silent],
    "same seed": [Restless],
    "random state": [Restless],
    "n_jobs": [Threaded],
    "parameters": [ClonesAreFitted],
    "pickle": [HoldsAFunction],
    "containers": [WholeNumbersOnly],
    "one cluster": [ObjectByObject],
    "many missing labels": [NeedsManyLabels],
    "wrong labels": [TakesAnyLabels, RaisesAnything],
    "wrong weights": [IgnoresWeights],
    "wrong sample_weight": [IgnoresSampleWeight],
    "wrong n_clusters": [AnyNumber],
    "not fitted": [FittedFromTheStart],
    "relabelling": [FirstLabels],
    "column order": [FirstLabels],
    "row order": [ByPosition],
    "clustering twice": [IgnoresWeights],
    "clustering of weight 0": [IgnoresWeights],
    "object twice": [IgnoresSampleWeight, KnowsOnlyWeightZero],
    "object of weight 0": [IgnoresSampleWeight],
    "missing labels": [MissingIsALabel],
    "empty clustering": [CountsColumns],
    "unanimous": [ByPosition],
    "finds k": [OneCluster],
    "accurate": [ByPosition],
    "membership": [DoesNotSumToOne, OtherOrder, NotFinite],
    "membership without weight": [NothingWithoutWeight],
    "predict_proba": [Doubles],
    "history falls": [Rising, UpAndDown],
    "history rises": [Falling],
    "predict": [PlacesAllInOne, AlwaysPlaces],
    "predicts training": [PlacesAllInOne],
    "places training": [SharesOut],
}
ALL_BROKEN = [(name, kind) for name, kinds in BROKEN.items() for kind in kinds]


def test_every_check_has_an_estimator_that_fails_it():
    assert list(BROKEN) == list(CHECKS) == list(PROMISES)
    assert all(PROMISES.values())


@pytest.mark.parametrize(("name", "kind"), ALL_BROKEN)
def test_what_is_broken_is_found(name, kind):
    table = check_consensus_estimator(kind(), promises=[name], on_fail=None)
    assert table["status"].tolist() == ["failed"], table["message"].tolist()
    assert table["message"][0]


@pytest.mark.parametrize("name", ["LabelKMeans", "MultinomialMixture", "EAC-average"])
def test_sound_estimators_pass(name):
    table = check_consensus_estimator(ESTIMATORS[name].make(), promises=ESTIMATORS[name].checks)
    assert set(table["status"]) <= {"passed", "skipped"}


# --------------------------------------------------------------------------------- estimators that know nothing of ours
class Plain:
    """No base class, no parameters: labels_ and nothing else."""

    def fit(self, X):
        self.labels_ = EAC(3).fit(X).labels_
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self


def test_what_an_estimator_has_not_is_skipped_and_listed():
    table = check_consensus_estimator(Plain()).set_index("check")
    skipped = table[table["status"] == "skipped"]
    assert {"fit_predict", "parameters", "n_jobs", "wrong weights", "object twice", "predict"} <= set(skipped.index)
    assert table.loc["predict", "message"] == "there is no predict"
    assert table.loc["n_jobs", "message"] == "there is no parameter n_jobs"
    assert table.loc[["fit", "relabelling", "unanimous", "accurate"], "status"].tolist() == ["passed"] * 4


class NeverFits(BaseEstimator):
    def fit(self, X, y=None):
        raise RuntimeError("out of order")


def test_all_failures_are_told_at_once():
    with pytest.raises(AssertionError, match=r"(?s)NeverFits\(\) fails 2 of 3 checks:.* fit: .* pickle: Runtime"):
        check_consensus_estimator(NeverFits(), promises=["fit", "n_jobs", "pickle"])
    with pytest.warns(UserWarning, match="NeverFits.* fails a check: fit: RuntimeError: out of order"):
        table = check_consensus_estimator(NeverFits(), promises=["fit"], on_fail="warn")
    assert table["status"].tolist() == ["failed"]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"promises": ["speed"]}, ValueError, "there is no promise 'speed'; pass some of fit, "),
        ({"promises": "fit"}, TypeError, "must be a list of names"),
        ({"on_fail": "ignore"}, ValueError, "on_fail='ignore' is not known"),
    ],
)
def test_wrong_options(options, kind, message):
    with pytest.raises(kind, match=message):
        check_consensus_estimator(EAC(), **options)


@pytest.mark.parametrize(("estimator", "check"), consensus_estimator_checks(EAC(), promises=["fit", "row order"]))
def test_checks_one_by_one(estimator, check):
    assert isinstance(estimator, EAC)
    check(estimator)


def test_the_estimator_is_not_changed():
    model = LabelKMeans(5)
    check_consensus_estimator(model, promises=["fit", "unanimous"])
    assert model.n_clusters == 5
    assert model.random_state is None
    assert not hasattr(model, "labels_")


def test_every_object_of_the_ensemble_has_a_label():
    assert (noisy_ensemble(missing=0.95).X >= 0).any(axis=1).all()


def test_a_class_is_no_estimator():
    for wrong in (EAC, "eac", None):
        with pytest.raises(TypeError, match=r"must be an instance with a method fit, such as EAC\(\)"):
            check_consensus_estimator(wrong)
    with pytest.raises(ValueError, match="promises is empty"):
        check_consensus_estimator(EAC(), promises=[])
