"""No result overwrites an input or another result, whatever its path looks like."""

import os

import pytest

from tests.cli.plants import SMALL

# Calls with every option that names an output; {} is the file to be protected.
CALLS = {
    "consensus": ["consensus", "labels.csv", "-o", "{}"],
    "membership": ["consensus", "labels.csv", "-m", "pcc", "--membership", "{}"],
    "confidence": ["consensus", "labels.csv", "--confidence", "{}"],
    "compare": ["compare", "labels.csv", "-o", "{}"],
    "compare labels": ["compare", "labels.csv", "--labels", "{}"],
    "compare matrix": ["compare", "labels.csv", "--matrix-output", "{}"],
    "choose": ["choose", "labels.csv", "-o", "{}"],
    "generate": ["generate", "labels.csv", "--kind", "-o", "{}"],
    "manifest": ["generate", "labels.csv", "--manifest", "{}"],
    "cluster": ["cluster", "labels.csv", "-o", "{}"],
    "cluster labels": ["cluster", "labels.csv", "--labels", "{}"],
}
CALLS["generate"].remove("--kind")


def paths_of(target, folder):
    """Ways to write the path of a file, or of one that is not there yet."""
    (folder / "by_link.csv").symlink_to(target)
    ways = [target, f"./{target}", str(folder / target), "by_link.csv"]
    if os.path.exists(target):
        os.link(target, "hard.csv")
        ways.append("hard.csv")
    return ways


@pytest.mark.parametrize("case", CALLS)
def test_an_output_that_is_an_input_is_refused(call, labels, tmp_path, case):
    before = (tmp_path / labels).read_bytes()
    for path in paths_of(labels, tmp_path):
        code, out, err = call(*[word.format(path) for word in CALLS[case]])
        assert (code, out) == (2, "")
        assert "is the input" in err
    assert (tmp_path / labels).read_bytes() == before


PAIRS = {
    "compare": ["compare", "labels.csv", "--methods", "cspa", "-k", "3", "-o", "o.csv", "--labels", "{}"],
    "compare matrix": ["compare", "labels.csv", "--labels", "o.csv", "--matrix-output", "{}"],
    "membership": ["consensus", "labels.csv", "-m", "pcc", "-o", "o.csv", "--membership", "{}"],
    "confidence": ["consensus", "labels.csv", "-o", "o.csv", "--confidence", "{}"],
    "manifest": ["generate", "table.csv", "--drop", "class", *SMALL, "-o", "o.csv", "--manifest", "{}"],
    "cluster": ["cluster", "table.csv", "--drop", "class", *SMALL, "-o", "o.csv", "--labels", "{}"],
}


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("case", PAIRS)
def test_two_results_never_go_to_one_file(call, labels, table, tmp_path, case, exists):
    if exists:
        (tmp_path / "o.csv").write_text("old")
    for path in paths_of("o.csv", tmp_path):
        code, _, err = call(*[str(word).format(path) for word in PAIRS[case]])
        assert code == 2
        assert "two results cannot go to one file" in err
    assert (tmp_path / "o.csv").exists() == exists
