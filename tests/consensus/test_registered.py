"""Methods of other packages: by run-time registration, and by entry points of a package as it is installed."""

import json
import os
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin, clone

import partita
from partita import EAC, ConsensusResult, combine, register_method
from partita.consensus import _registered
from partita.consensus._methods import METHODS
from partita.consensus._outside import as_consensus
from partita.exceptions import EmptyColumnWarning, FewerClustersWarning, MethodWarning, UnlabelledObjectsWarning
from partita.testing import noisy_ensemble, same_partition

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "add-a-method.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


class Chosen(ClusterMixin, BaseEstimator):
    """The clusters of one clustering, in the manner of a method that knows nothing of ours."""

    def __init__(self, column=0, n_clusters=4, random_state=None):
        self.column = column
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, y=None):
        assert X.dtype.kind == "i"
        self.seen_ = X
        self.labels_ = 10 * X[:, self.column].clip(0)
        return self


class Weighted(Chosen):
    """The same with weights, probabilities and predict."""

    def __init__(self, column=0, n_clusters=None, weights=None):
        super().__init__(column, n_clusters)
        self.weights = weights

    def fit(self, X, y=None, sample_weight=None):
        self.weight_ = sample_weight
        self.labels_ = X[:, self.column].clip(0)
        self.membership_ = 0.1 + 0.7 * np.eye(3)[self.labels_]
        self.membership_ /= self.membership_.sum(axis=1, keepdims=True)
        self.history_ = [3.0, 2.0]
        return self

    def predict(self, X):
        return X[:, self.column]


class Probable(Weighted):
    """The same with predict_proba."""

    def predict_proba(self, X):
        return np.eye(3)[X[:, self.column]] * 0.7 + 0.1


class Linked(EAC):
    """Derives from ours."""

    def __init__(self, n_clusters=None, *, weights=None):
        super().__init__(n_clusters, linkage="single", weights=weights)


class NoLabels(Chosen):
    def fit(self, X, y=None):
        self.labels_ = np.full(len(X), -1)
        return self


class NeedsArgument(Chosen):
    def __init__(self, column):
        super().__init__(column)


class CannotBeMade(Chosen):
    def __init__(self):
        raise RuntimeError("no licence")


class Ends(Chosen):
    def fit(self, X, y=None):
        raise SystemExit("bye")


# ------------------------------------------------------------------------------------------------------- at run time
def test_a_registered_method_is_taken_by_name(X):
    register_method("chosen", Chosen, source="nobody")
    result = combine(X, method="chosen", n_clusters=3, random_state=0)
    assert result.method == "chosen"
    assert same_partition(result.labels, X[:, 0].clip(0))
    assert np.bincount(result.labels).tolist() == sorted(np.bincount(X[:, 0].clip(0)), reverse=True)
    assert (result.estimator.n_clusters, result.estimator.random_state) == (3, 0)
    assert "n_clusters=3 was given" in result.choice.reasons
    assert same_partition(combine(X, method="Chosen", n_clusters=3).labels, result.labels)
    assert same_partition(combine(X, method=Chosen(column=2, n_clusters=3)).labels, X[:, 2].clip(0))


def test_an_upper_bound_is_not_warned_of(X):
    register_method("chosen", Chosen)
    with pytest.warns(FewerClustersWarning, match="4 clusters were asked for, and Chosen found 3"):
        combine(X, method="chosen", n_clusters=4)
    register_method("chosen", Chosen, upper_bound=True)
    assert combine(X, method="chosen", n_clusters=4).choice.reasons == ["n_clusters=4 is an upper bound"]


def test_everything_of_a_result_is_there(X):
    register_method("chosen", Chosen)
    frame = pd.DataFrame(X, columns=[f"run {m}" for m in range(15)])
    result = combine(frame, method="chosen", random_state=0)
    plain = ConsensusResult.from_labels(X, result.labels)
    assert np.array_equal(result.confidence, plain.confidence)
    assert result.clusters["size"].tolist() == plain.clusters["size"].tolist()
    assert result.clusterings["clustering"][0] == "run 0"
    assert result.stability(2).n_resamples == 2
    assert result.compare(["chosen", "eac"]).table["error"].tolist() == ["", ""]
    assert np.array_equal(result.estimator.predict(frame), plain.estimator.predict(X))
    assert json.loads(result.to_json())["method"] == "chosen"


def test_weights_probabilities_and_predict_are_used_where_they_are(X):
    register_method("weighted", Weighted)
    weights, sample_weight = np.arange(15) % 3, np.arange(len(X)) % 4
    result = combine(X, method="weighted", weights=weights, sample_weight=sample_weight, n_clusters=None)
    inner = result.estimator.estimator_
    assert np.array_equal(inner.weight_, sample_weight[sample_weight > 0])
    assert np.array_equal(inner.weights, weights[weights > 0])
    assert result.membership_kind == "probabilities"
    assert np.array_equal(result.membership.argmax(axis=1), result.labels)
    assert result.estimator.history_ == [3.0, 2.0]
    labels = result.estimator.predict(X)
    seen = X[:, 1] >= 0  # the first clustering has no weight
    assert same_partition(labels[seen], X[seen, 1])
    assert (labels >= 0).all()


def test_objects_and_clusterings_without_label_do_not_reach_it(X):
    register_method("chosen", Chosen)
    holes = np.insert(np.column_stack([X, np.full(len(X), -1)]), 7, -1, axis=0)
    with pytest.warns(UnlabelledObjectsWarning), pytest.warns(EmptyColumnWarning):
        result = combine(holes, method="chosen", n_clusters=3)
    assert result.labels[7] == -1
    assert np.array_equal(result.estimator.estimator_.seen_, X)


def test_an_outside_estimator_is_an_estimator_like_ours(X):
    model = as_consensus(Weighted)(column=1).fit(X)
    assert (type(model).__name__, repr(model)) == ("Weighted", "Weighted(column=1)")
    copied = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copied.labels_, model.labels_)
    assert np.array_equal(copied.predict(X), model.predict(X))
    assert not hasattr(model, "predict_proba")
    soft = as_consensus(Probable)(column=1).fit(X)
    labelled = X[:, 1] >= 0
    assert np.array_equal(soft.predict_proba(X)[labelled].argmax(axis=1), soft.labels_[labelled])
    assert np.allclose(soft.predict_proba(X).sum(axis=1), 1)
    fresh = clone(model).set_params(column=3)
    assert (fresh.column, model.column) == (3, 1)
    assert not hasattr(fresh, "labels_")
    with pytest.raises(AttributeError, match="'Weighted' object has no attribute 'nothing'"):
        _ = model.nothing


def test_a_subclass_of_ours_is_used_as_it_is(X):
    register_method("linked", Linked, finds_k=True)
    result = combine(X, method="linked", n_clusters=3)
    assert type(result.estimator) is Linked
    assert result.method == "linked"


def test_a_row_is_told_by_the_class():
    register_method("weighted", Weighted)
    row = _registered.find_method("weighted")
    assert (row.summary, row.soft, row.finds_k) == ("The same with weights, probabilities and predict", False, True)
    register_method("weighted", f"{__name__}:Weighted", summary="again", soft=True)
    row = _registered.find_method("weighted")
    assert (row.summary, row.soft, row.finds_k, row.estimator) == ("again", True, False, "Weighted")
    assert list(_registered.all_methods()) == [*METHODS, "weighted"]


@pytest.mark.parametrize(
    ("name", "estimator", "kind", "message"),
    [
        ("eac", Chosen, ValueError, "the name 'eac' is taken by partita"),
        ("labelkmeans", Chosen, ValueError, "is taken by partita"),
        ("auto", Chosen, ValueError, "is taken by partita"),
        ("My Method", Chosen, ValueError, "small letters, digits and hyphens"),
        ("mine", 3, TypeError, "neither a class nor a name such as 'package.module:Class'"),
        ("mine", "nowhere", TypeError, "neither a class nor a name"),
        ("mine", dict, TypeError, "has no fit, so it is no estimator"),
        ("mine", NeedsArgument, TypeError, "the parameter 'column' of .*NeedsArgument has no default"),
    ],
)
def test_wrong_registrations(name, estimator, kind, message):
    with pytest.raises(kind, match=message):
        register_method(name, estimator)
    assert _registered._registered == {}


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"summary": 3}, "summary=3 is not allowed; pass text"),
        ({"finds_k": "yes"}, "finds_k='yes' is not allowed; pass True or False"),
    ],
)
def test_facts_are_texts_or_truth_values(facts, message):
    with pytest.raises(TypeError, match=message):
        register_method("mine", Chosen, **facts)


def test_the_summary_is_not_that_of_a_base_class():
    register_method("mine", NoLabels)
    assert _registered.find_method("mine").summary == "NoLabels"


def test_a_method_that_cannot_be_made_or_ends_the_process_does_not_stop_the_others(call, labels_file):
    register_method("cannot", f"{__name__}:CannotBeMade")
    register_method("needs", f"{__name__}:NeedsArgument")
    register_method("ends", Ends)
    code, out, _ = call("compare", labels_file, "--methods", "eac,cannot,needs,ends", "--json", "-k", "3")
    found = {row["method"]: row for row in json.loads(out)["methods"]}
    assert code == 0
    assert found["eac"]["error"] == ""
    assert "method 'cannot' cannot be made (RuntimeError: no licence)" in found["cannot"]["error"]
    assert "the parameter 'column' of" in found["needs"]["error"]
    assert "bye" in found["ends"]["error"]


@pytest.mark.parametrize("wrong", [np.nan, -0.1, 0.7])
def test_a_membership_that_holds_no_probabilities_is_not_used(X, wrong):
    class Wrong(Weighted):
        """Probabilities that are none."""

        def fit(self, X, y=None, sample_weight=None):
            super().fit(X)
            self.membership_[3, 0] = wrong
            return self

    with pytest.warns(MethodWarning, match="membership_ of Wrong is not used"):
        model = as_consensus(Wrong)().fit(X)
    assert not hasattr(model, "membership_")


@pytest.mark.parametrize(
    ("estimator", "options", "kind", "message"),
    [
        ("nowhere.at_all:Method", {}, ImportError, "method 'mine' cannot be loaded from nowhere.at_all:Method"),
        (NoLabels, {}, ValueError, "the labels_ of NoLabels are .* they should be 62 whole numbers from 0"),
        (Chosen, {"weights": np.ones(15)}, ValueError, "Chosen has none"),
        (Chosen, {"sample_weight": np.arange(62)}, ValueError, "Chosen takes no sample_weight"),
        (Weighted, {"method": "mime"}, ValueError, "there is no method 'mime'; .*, mine"),
        (Weighted, {"method": Chosen()}, TypeError, "register_method"),
    ],
)
def test_what_cannot_be_used_is_told(X, estimator, options, kind, message):
    register_method("mine", estimator, summary="x", soft=False, finds_k=False)
    with pytest.raises(kind, match=message):
        combine(X, **{"method": "mine", "n_clusters": 3, **options})


def test_plots_and_contestants_take_it(X):
    from benchmarks import _answer_contestants

    from partita.plotting._method_fits import check_methods, new_estimator

    register_method("chosen", Chosen)
    register_method("broken", "nowhere:Method")
    assert check_methods(["chosen", "eac"]) == {"chosen": "chosen", "eac": "eac"}
    assert new_estimator("chosen", n_clusters=2, weights=3).n_clusters == 2
    found = {(one.name, one.mode): one for one in _answer_contestants.contestants()}
    assert ("chosen", "found") not in found
    assert ("broken", "given") not in found
    assert same_partition(found["chosen", "given"].run(X, 3), X[:, 0].clip(0))


# --------------------------------------------------------------------------------- by entry points, as of a package
@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package of the page as pip would leave it, and broken ones beside it."""
    folder = tmp_path_factory.mktemp("site")
    package = folder / "averagelink"
    package.mkdir()
    (package / "__init__.py").write_text('"""An example."""\n')
    (package / "method.py").write_text(block("averagelink/method.py"))
    (package / "rows.py").write_text(block("averagelink/rows.py"))
    (folder / "fails_to_import.py").write_text("raise RuntimeError('a plug-in that cannot be imported')\n")
    (folder / "late.py").write_text(
        'row = {"estimator": "fails_to_import:Late", "summary": "found out when it runs"}\n'
    )
    written = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    install(folder, "averagelink", tomllib.loads(written)["project"]["entry-points"]["partita.methods"])
    install(folder, "careless", {"broken-one": "fails_to_import:row", "eac": "averagelink.rows:average_link"})
    install(folder, "late", {"late": "late:row"})
    labels = noisy_ensemble()
    pd.DataFrame(labels.X).to_csv(folder / "labels.csv", index=False)
    return folder


def block(file):
    """A block of code of the page, by the comment in its first line."""
    return next(text for text in BLOCKS if text.startswith(f"# {file}\n"))


def install(folder, package, points):
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    listed = "\n".join(f"{name} = {value}" for name, value in points.items())
    (about / "entry_points.txt").write_text(f"[partita.methods]\n{listed}\n")


def run(folder, *words):
    """A process of its own that sees the folder as installed."""
    paths = [str(folder), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


def command(folder, *words):
    return run(folder, "-c", f"from partita.cli.main import main; main({list(words)!r})")


def test_the_list_of_methods_shows_it_and_names_what_is_broken(installed):
    listing = "import sys; from partita.cli.main import main\ntry: main(['methods'])\nfinally: print(*sys.modules)"
    done = run(installed, "-c", listing)
    assert done.returncode == 0, done.stderr
    assert "needs --n-clusters; hard labels; averagelink.method.AverageLink; Fred and Jain 2005" in done.stdout
    assert "the method 'broken-one' of the package 'careless' is left out: RuntimeError: a plug-in" in done.stderr
    assert "the method 'eac' of the package 'careless' is left out: ValueError: the name 'eac' is taken" in done.stderr
    loaded = done.stdout.splitlines()[-1].split()
    assert "averagelink.rows" in loaded
    assert not {"averagelink.method", "sklearn", "pandas"} & set(loaded)  # the class is not imported to be listed


def test_other_packages_are_not_asked_without_need(call, labels_file, monkeypatch):
    monkeypatch.setattr(_registered, "_of_packages", lambda: pytest.fail("other packages were asked"))
    assert call("--help")[0] == 0
    assert call("consensus", "--help")[0] == 0
    assert call("consensus", labels_file, "--method", "eac", "-o", "out.csv")[0] == 0


def test_the_number_of_clusters_is_found_for_it(call, labels_file):
    register_method("linked", Linked, finds_k=False)
    register_method("chosen", Chosen)
    code, out, _ = call("consensus", labels_file, "--method", "linked", "-k", "auto", "--json", "-o", "auto.csv")
    assert (code, json.loads(out)["n_clusters"]) == (0, 3)
    assert "result = combine(X, method='linked')" in json.loads(out)["python"]
    words = ["--method", "chosen", "-k", "auto", "--set", "column=1", "--json", "-o", "chosen.csv"]
    lines = json.loads(call("consensus", labels_file, *words)[1])["python"]
    assert "k = LWGP(random_state=0).fit(X).choice_.n_clusters" in lines
    assert f"from {__name__} import Chosen" in lines
    assert "result = combine(X, method=Chosen(n_clusters=k, column=1, random_state=0))" in lines
    assert "method 'chosen' needs the number of clusters" in call("consensus", labels_file, "--method", "chosen")[2]
    assert "linked" in call("consensus", labels_file, "--method", "nothing")[2]


@pytest.fixture
def labels_file(tmp_path, X):
    pd.DataFrame(X).to_csv(tmp_path / "labels.csv", index=False)
    return "labels.csv"


def test_a_consensus_by_its_name_and_the_python_lines(installed):
    words = ["consensus", "labels.csv", "--method", "average-link", "-k", "3", "-o", "found.csv", "--json"]
    done = command(installed, *words)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["method"], facts["n_clusters"]) == ("average-link", 3)
    found = pd.read_csv(installed / "found.csv")["label"]
    lines = facts["python"]
    assert "from averagelink.method import AverageLink" in lines
    again = run(installed, "-c", f"{lines}\nprint(*labels)")
    assert again.returncode == 0, again.stderr
    assert list(map(int, again.stdout.split())) == found.tolist()
    truth = noisy_ensemble().truth
    assert partita.metrics.adjusted_rand_score(truth, found) > 0.8


def test_methods_are_compared_with_it(installed):
    done = command(installed, "compare", "labels.csv", "--methods", "auto,average-link,late", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["method"]: row for row in json.loads(done.stdout)["methods"]}
    assert rows["average-link"]["n_clusters"] == 3
    assert not rows["average-link"]["error"]
    assert "method 'late' cannot be loaded from fails_to_import:Late" in rows["late"]["error"]


# --------------------------------------------------------------------------------------------------------- the page
def test_the_code_of_the_page_runs_and_the_leaderboard_finds_the_method(installed):
    plain = [text for text in BLOCKS if not text.startswith("# averagelink") and "def test_" not in text]
    assert len(plain) == 2
    contestants = (
        "from benchmarks._answer_contestants import contestants\n"
        "from partita.testing import noisy_ensemble\n"
        "found = {(one.name, one.mode): one for one in contestants()}\n"
        "print('clusters:', 1 + max(found['average-link', 'given'].run(noisy_ensemble().X, 3)))\n"
    )
    done = run(installed, "-W", "ignore", "-c", "\n".join([contestants, *plain]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "clusters: 3" in done.stdout
    assert "failed" not in done.stdout
    assert "(method average-link)" in done.stdout


def test_the_tests_of_the_page_pass(installed):
    (installed / "test_averagelink.py").write_text(next(text for text in BLOCKS if "def test_" in text))
    done = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_averagelink.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
