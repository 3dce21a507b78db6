"""What a release needs to be true: one version everywhere, workflows that call what exists, extras that exist."""

import os
import re
import tomllib

import pytest
import yaml

import partita
from tests.docs.pages import ROOT, all_pages

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
# what a step of a workflow may begin with, beside files of this repository: tools of the runner or installed before
TOOLS = {"cd", "echo", "exit", "partita", "python", "sed", "test", "realpath"}
FRESH = "fresh/bin/"  # an environment that a step makes


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def jobs():
    return [(path.name, name, job) for path in WORKFLOWS for name, job in read(path)["jobs"].items()]


def commands(job):
    """The commands of a job's steps, one per line, without assignments before them."""
    for step in job["steps"]:
        for line in step.get("run", "").splitlines():
            if line.strip():
                yield line.strip()


def test_the_version_is_the_same_everywhere():
    cited = read(ROOT / "CITATION.cff")
    heading = re.search(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert heading, "the changelog begins with no heading like: ## 0.1.0 (2026-11-18)"
    assert heading[1] == partita.__version__ == cited["version"]
    assert heading[2] == str(cited["date-released"])


def test_the_newest_heading_of_the_changelog_is_the_first():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    versions = [tuple(map(int, heading.split()[0].split("."))) for heading in headings]
    assert versions == sorted(versions, reverse=True)


def test_pythons_of_the_classifiers_are_those_that_are_tested():
    told = {name.rpartition(" ")[2] for name in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", name)}
    linux = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["linux"]
    assert set(linux["strategy"]["matrix"]["python"]) == told
    assert PROJECT["project"]["requires-python"] == ">=" + min(told, key=lambda name: int(name.split(".")[1]))
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    first, last = sorted(told, key=lambda name: int(name.split(".")[1]))[:: len(told) - 1]
    assert f"**Python** {first} to {last}." in page


@pytest.mark.parametrize(("file", "name", "job"), jobs(), ids=lambda value: value if isinstance(value, str) else "")
def test_workflows_call_what_exists(file, name, job):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for command in commands(job):
        first, *rest = re.sub(r'^\w+="\$\(', "", command).split()
        if first == "make":
            assert set(rest) <= targets, f"{file}, {name}: {command}"
        elif first.startswith("."):
            assert os.access(ROOT / first, os.X_OK), f"{file}, {name}: {command}"
        else:
            assert first in TOOLS or FRESH in first, f"{file}, {name}: {command}"


@pytest.mark.parametrize(("file", "name", "job"), jobs(), ids=lambda value: value if isinstance(value, str) else "")
def test_workflows_name_files_and_extras_that_exist(file, name, job):
    text = "\n".join(commands(job))
    for path in re.findall(r"(?<![\w/])(?:tests|tools|src|benchmarks)/[\w./]+", text):
        assert (ROOT / path).exists(), f"{file}, {name}: {path}"
    for extras in re.findall(r"(?:\.|\$wheel)\[([\w,]+)\]", text):
        assert set(extras.split(",")) <= set(EXTRAS), f"{file}, {name}: {extras}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_as_little_as_they_need(path):
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert "concurrency" in workflow
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job, name
        assert job.get("permissions", {}) == ({"id-token": "write"} if name == "publish" else {}), name
        for step in job["steps"]:
            assert re.fullmatch(r"[\w./-]+@(v\d+|release/v\d+|[0-9a-f]{40})", step.get("uses", "none@v0")), step
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"] == {"persist-credentials": False}
            assert "${{" not in step.get("run", ""), "values of a run come by env, not as text of a script"


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_of_issues_are_complete(path):
    form = read(path)
    assert set(form) == {"name", "description", "labels", "body"}
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked)
    assert all(part["attributes"]["label"] for part in asked)
    assert any(part.get("validations", {}).get("required") for part in asked)


def test_extras_that_pages_and_messages_name_exist():
    texts = [*all_pages(), *(ROOT / "src").rglob("*.py")]
    named = {}
    for path in texts:
        text = path.read_text(encoding="utf-8")
        for extras in re.findall(r"pip install \"(?:\.|partita)\[([\w,]+)\]\"", text):
            named |= dict.fromkeys(extras.split(","), path)
        named |= dict.fromkeys(re.findall(r"\bextra=\"(\w+)\"", text), path)
    assert len(named) > 5
    assert {extra: path for extra, path in named.items() if extra not in EXTRAS} == {}


def test_the_extra_all_has_every_extra_of_users():
    (everything,) = EXTRAS["all"]
    assert set(everything.removeprefix("partita[").removesuffix("]").split(",")) == set(EXTRAS) - {
        *("all", "plot", "docs", "test", "dev"),  # report has plot
    }


def test_what_the_source_distribution_names_is_there():
    listed = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [name for name in listed if not (ROOT / name.removeprefix("/")).exists()] == []
    ours = {path.name for path in ROOT.glob("*.md")} | {"CITATION.cff", "Makefile"}
    assert ours <= {name.removeprefix("/") for name in listed}


def test_stubs_are_ascii():
    """lazy_loader reads them in the encoding of the system, which may be any."""
    stubs = sorted((ROOT / "src").rglob("__init__.pyi"))
    assert len(stubs) > 5
    assert [path for path in stubs if not path.read_bytes().isascii()] == []
