"""What an import, a command or a small problem loads, by name; the names that `import partita` promises are there.

How long they take is measured by `python -m benchmarks cold_start`, never by a test.
"""

import subprocess
import sys

import pytest
import sklearn

import partita

HEAVY = ("numba", "sklearn", "scipy", "pandas", "numpy", "matplotlib", "click", "tqdm", "polars", "narwhals", "joblib")


def alone(code, folder=None):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    return done.stdout.strip()


def loaded_by(code, folder=None):
    """The heavy libraries, and scipy.stats, that are loaded once the code has run."""
    names = alone(f"{code}\nimport sys; print(*sys.modules)", folder).splitlines()[-1].split()
    return {name for name in HEAVY if name in names} | ({"stats"} if "scipy.stats._stats_py" in names else set())


@pytest.fixture
def command(tmp_path):
    """What a command loads, in a process of its own, on a small file of labels."""
    (tmp_path / "labels.csv").write_text("a,b,c\n" + "0,0,1\n1,1,0\n0,1,1\n" * 5)

    def run(*words):
        run_main = f"try: main({list(words)!r})\nexcept SystemExit as stop: assert not stop.code"
        return loaded_by(f"from partita.cli.main import main\n{run_main}", tmp_path)

    return run


def test_import_loads_nothing_heavy():
    assert loaded_by("import partita") == set()


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["consensus", "--help"], ["methods"]])
def test_help_loads_nothing_heavy_but_click(words, command):
    assert command(*words) == {"click"}


def test_check_loads_what_reads_the_file_and_nothing_else(command):
    assert command("check", "labels.csv") == {"click", "numpy", "pandas"}


@pytest.mark.parametrize(
    "options",
    [[], ["-m", "eac"], ["-m", "eac", "--set", "linkage=single"], ["-k", "2", "-o", "o.csv", "--confidence", "c.csv"]],
)
def test_a_small_consensus_loads_no_compiler(options, command):
    loaded = command("consensus", "labels.csv", *options)
    assert not {"numba", "stats", "matplotlib", "polars", "tqdm"} & loaded
    assert "sklearn" in loaded


@pytest.mark.skipif(sklearn.__version__.startswith("1.6."), reason="scikit-learn 1.6 loads some of them by itself")
def test_the_default_loads_no_clusterers_and_no_metrics(command, tmp_path):
    code = "from partita.cli.main import main\ntry: main(['consensus', 'labels.csv'])\nexcept SystemExit: pass"
    modules = alone(f"{code}\nimport sys; print(*sys.modules)", tmp_path).splitlines()[-1].split()
    assert not {"sklearn.cluster", "sklearn.metrics", "scipy.optimize", "scipy.cluster"} & set(modules)
    assert "partita.consensus.label_space._lwgp" in modules


@pytest.mark.parametrize(
    "code",
    [
        "partita.EAC().fit([[0, 0, 1, 1], [0, 1, 1, 1]])",
        "partita.MultiEAC().fit([[0, 0, 1, 1], [0, 1, 1, 1]])",
        "partita.EAC(2).fit([[0, 0, 1, 1], [0, 1, 1, 1]]).predict([[0, 1], [1, 0]])",
        "[model.fit([[0, 0, 1, 1], [0, 1, 1, 1]]).predict([[0, 1], [1, 0]]) for model in "
        "(partita.LWGP(2), partita.USENC(2), partita.LWEA(), partita.ECPCS(2))]",
        "partita.combine([[0, 0, 1, 1], [0, 1, 1, 1]], random_state=0)",
        "partita.coassociation([[0, 0, 1, 1], [0, 1, 1, 1]])",
        "partita.metrics.average_nmi_score([[0, 0, 1, 1], [0, 1, 1, 1]], [0, 0, 1, 1])",
        "partita.metrics.adjusted_rand_score([0, 0, 1], [0, 1, 1])",
        "partita.check_label_matrix([[0, 0, 1, 1], [0, 1, 1, 1]])",
        "partita.io.read_labels",
    ],
)
def test_small_problems_load_no_compiler(code):
    assert "numba" not in loaded_by(f"import partita; {code}")


def test_optional_libraries_stay_unloaded_until_used():
    code = "import sys, partita; partita.EAC().fit({'a': [0, 0, 1]}); print(*sys.modules)"
    assert not {"polars", "pyarrow.parquet", "matplotlib"} & set(alone(code).split())


@pytest.mark.parametrize("name", partita.__all__)
def test_every_public_name_is_there_and_listed(name):
    assert getattr(partita, name) is not None
    assert name in dir(partita)


def test_the_function_is_not_hidden_by_its_module():
    assert callable(partita.coassociation)
    assert alone("import partita; partita.EAC; print(callable(partita.coassociation))") == "True"


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="No partita attribute magic"):
        _ = partita.magic
