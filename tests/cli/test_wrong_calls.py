"""Wrong calls get one clear line on stderr, exit code 2, and leave all files as they are."""

import os
import re

import pytest

QUICK = ["--resamples", "6", "-k", "2-4"]

OF_LABELS = {
    "unknown file": (["check", "none.csv"], "there is no file 'none.csv'"),
    "unknown column": (["consensus", "labels.csv", "--columns", "zz"], "has no column 'zz'; it has 'kmeans_k7_s0'"),
    "unknown ids": (["check", "labels.csv", "--id-column", "zz"], "has no column 'zz'"),
    "unknown command": (["consens"], "No such command 'consens'"),
    "unknown option": (["check", "labels.csv", "--colour"], "No such option:? '?--colour"),
    "unknown method": (["consensus", "labels.csv", "--method", "magic"], "'magic' is not one of 'eac'"),
    "no file named": (["consensus"], "Missing argument 'FILE'"),
    "bad number": (["consensus", "labels.csv", "-k", "0"], "0 is not in the range x>=1"),
    "too many clusters": (["consensus", "labels.csv", "-k", "500"], "n_clusters=500 exceeds the 178 distinct rows"),
    "every method fails": (
        ["compare", "labels.csv", "--methods", "eac,multi-eac", "-k", "500", "-o", "t.csv"],
        "no method gave a result: eac: ValueError: n_clusters=500 exceeds .*; multi-eac: ",
    ),
    "missing number": (
        ["consensus", "labels.csv", "-m", "label-kmeans"],
        "needs the number of clusters; pass --n-clusters",
    ),
    "number where it is found": (
        ["consensus", "labels.csv", "-m", "nbce", "-k", "5"],
        r"nbce finds the number of clusters itself; leave out --n-clusters \(NBCE has --set truncation=\.\.\. as an",
    ),
    "no threads": (["consensus", "labels.csv", "--jobs", "0"], "whole number other than 0; -1 takes all cores"),
    "threads in words": (["consensus", "labels.csv", "--jobs", "two"], "'two' is not a valid integer"),
    "negative seed": (["compare", "labels.csv", "--seed", "-1"], "-1 is not in the range 0<=x<=4294967295"),
    "large seed": (["choose", "labels.csv", "--seed", "4294967296"], "is not in the range 0<=x<=4294967295"),
    "number twice": (
        ["consensus", "labels.csv", "-k", "3", "--set", "n_clusters=5"],
        "--n-clusters and --set n_clusters=... set the same parameter; pass one of them",
    ),
    "seed twice": (
        ["consensus", "labels.csv", "--seed", "0", "--set", "random_state=5"],
        "--seed and --set random_state=... set the same parameter",
    ),
    "threads twice": (["consensus", "labels.csv", "--jobs", "1", "--set", "n_jobs=2"], "--jobs and --set n_jobs"),
    "pairs twice": (
        ["consensus", "labels.csv", "-m", "pcc", "--pairs", "3", "--set", "pairs=4"],
        "--pairs and --set pairs",
    ),
    "bad setting": (["consensus", "labels.csv", "--set", "linkage"], "must be NAME=VALUE"),
    "unknown setting": (["consensus", "labels.csv", "--set", "power=9"], "has no parameter 'power'; it has allow_one"),
    "bad value": (["consensus", "labels.csv", "--set", "linkage=best"], "'linkage' parameter of EAC must be"),
    "no folder": (["consensus", "labels.csv", "-o", "none/o.csv"], "there is no folder 'none'"),
    "output is input": (["consensus", "labels.csv", "-o", "labels.csv"], "is the input"),
    "output of unknown kind": (["consensus", "labels.csv", "-o", "o.doc"], "the format of 'o.doc' is not known"),
    "bad divergence": (
        ["consensus", "labels.csv", "-m", "pcc", "-k", "3", "--divergence", "chi2"],
        "neither one of 'kl'",
    ),
    "bad pairs": (["consensus", "labels.csv", "-m", "pcc", "-k", "3", "--pairs", "few"], "pairs"),
    "no probabilities": (["consensus", "labels.csv", "--membership", "m.csv"], "gives no probabilities"),
    "two results in one file": (
        ["consensus", "labels.csv", "-m", "pcc", "-k", "3", "-o", "o.csv", "--membership", "o.csv"],
        "choose different names",
    ),
    "exclusive options": (["check", "labels.csv", "--id-column", "wine", "--no-ids"], "exclude each other"),
    "a folder": (["check", "."], "is a folder"),
    "empty file": (["check", "empty.csv"], "is empty"),
    "all missing": (["consensus", "holes.csv"], "all 6 labels of X, shape .3, 2., are missing"),
    "infinity": (["consensus", "inf.csv"], "is infinity"),
    "ragged": (["check", "ragged.csv"], "line 3 has 3 fields and the first row has 2"),
}

OF_FEATURES = {
    "text": (["generate", "table.csv"], "row 0, column 'class' is 'u', no.* number; .* Leave the column out"),
    "text to cluster": (["cluster", "table.csv"], "row 0, column 'class' is 'u', no.* number"),
    "text to choose": (["choose", "table.csv"], "row 0, column 'class' is 'u', no.* number"),
    "hole": (["cluster", "holes.csv"], "'holes.csv': row 1, column 'b' is missing; features are numbers without holes"),
    "hole in generate": (["generate", "holes.csv"], "row 1, column 'b' is missing"),
    "unknown file": (["cluster", "none.csv"], "there is no file 'none.csv'"),
    "unknown drop": (["cluster", "table.csv", "--drop", "zz"], "has no column 'zz'; it has 'width', 'height', 'class'"),
    "unknown column": (["generate", "table.csv", "--columns", "zz"], "has no column 'zz'"),
    "nothing left": (["cluster", "plain.csv", "--drop", "width,height"], "has no column of features"),
    "output is input": (["generate", "plain.csv", "-o", "plain.csv"], "the output 'plain.csv' is the input"),
    "clusters over input": (["cluster", "plain.csv", "-o", "plain.csv"], "is the input"),
    "labels over input": (["cluster", "plain.csv", "--labels", "plain.csv"], "is the input"),
    "manifest over input": (["generate", "plain.csv", "--manifest", "plain.csv"], "is the input"),
    "one file twice": (["cluster", "plain.csv", "-o", "y.csv", "--labels", "y.csv"], "results cannot go to one file"),
    "manifest is output": (["generate", "plain.csv", "-o", "y.csv", "--manifest", "y.csv"], "cannot go to one file"),
    "no folder": (["cluster", "plain.csv", "-o", "none/y.csv"], "there is no folder 'none'"),
    "unknown kind of file": (["generate", "plain.csv", "-o", "y.doc"], "the format of 'y.doc' is not known"),
    "unknown option": (["generate", "plain.csv", "--colour", "red"], "No such option:? '?--colour"),
    "unknown algorithm": (["generate", "plain.csv", "--base", "ward,wrad"], "clusterer[ =]'wrad'"),
    "no number": (["generate", "plain.csv", "--base-clusters", "few"], "'few' is not a number of clusters; write 8"),
    "range backwards": (["generate", "plain.csv", "--base-clusters", "5-2"], "is not a range"),
    "too many": (["cluster", "plain.csv", "--base-clusters", "46"], "n_clusters=46 exceeds the 45 objects"),
    "no sample": (["cluster", "plain.csv", "--sample-fraction", "0"], "0.0 is not in the range 0<x<=1"),
    "needs a number": (["cluster", "plain.csv", "-m", "bce"], "needs the number of clusters; pass --n-clusters"),
    "number twice": (["cluster", "plain.csv", "-k", "3", "--set", "n_clusters=5"], "--n-clusters and --set n_clusters"),
    "unknown setting": (["cluster", "plain.csv", "--set", "power=9"], "has no parameter 'power'"),
    "no probabilities": (["cluster", "plain.csv", "--membership", "m.csv"], "gives no probabilities"),
    "no file": (["generate"], "name a FILE of features"),
    "setting without recipe": (["generate", "plain.csv", "--set", "n_classes=3"], "--set is for --recipe"),
    "unknown recipe": (["generate", "plain.csv", "--recipe", "soup"], "there is no recipe 'soup'; choose from eac"),
    "recipe needs": (["generate", "plain.csv", "--recipe", "nbce"], "'nbce' needs .* for instance --set n_classes=3"),
    "seed of a recipe": (
        ["generate", "plain.csv", "--recipe", "eac", "--set", "random_state=1"],
        "--set random_state is no option of the recipe; pass --seed",
    ),
    "threads of a recipe": (["generate", "plain.csv", "--recipe", "eac", "--set", "n_jobs=2"], "pass --jobs"),
    "progress of a recipe": (["generate", "plain.csv", "--recipe", "eac", "--set", "verbose=1"], "no option 'verbose'"),
    "recipe has not": (["generate", "plain.csv", "--recipe", "eac", "--set", "salt=1"], "has no option 'salt'"),
    "recipe of features": (["generate", "--recipe", "pcc-2"], "recipe 'pcc-2' needs features"),
    "drop from labels": (["choose", "labels.csv", "--drop", "c0"], "--drop leaves out features, .* --kind features"),
    "features as a flag": (["choose", "plain.csv", "--features"], "pass --kind features if FILE holds features"),
    "features as a file": (["choose", "labels.csv", "--features", "plain.csv"], "has no option --features"),
    "exclusive": (["cluster", "table.csv", "--no-ids", "--id-column", "plant"], "exclude each other"),
    "few samples": (["choose", "labels.csv", "--resamples", "1"], "1 is not in the range x>=2"),
    "few references": (["choose", "labels.csv", "--references", "5"], "n_references=5 cannot show p <= 0.05"),
    "numbers out of reach": (["choose", "labels.csv", "-k", "2-40"], "must be numbers from 2 to 35"),
    "choice over input": (["choose", "labels.csv", "-o", "labels.csv", *QUICK], "is the input"),
    "table to npy": (["choose", "labels.csv", "-o", "x.npy", *QUICK], "npy cannot hold"),
    "options beside a recipe": (["generate", "plain.csv", "--recipe", "eac", "--base", "ward"], "by --set"),
}  # fmt: skip


@pytest.mark.parametrize("case", OF_LABELS)
def test_wrong_calls_on_labels(call, wines, tmp_path, case):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "holes.csv").write_text("p,q\n-1,-1\n-1,\n,-1\n")
    (tmp_path / "inf.csv").write_text("p,q\n1,inf\n1,2\n2,2\n")
    (tmp_path / "ragged.csv").write_text("p,q\n1,2\n1,2,3\n")
    check_refusal(call, tmp_path, *OF_LABELS[case])


@pytest.mark.parametrize("case", OF_FEATURES)
def test_wrong_calls_on_features(call, table, plain, labels, tmp_path, case):
    (tmp_path / "holes.csv").write_text("a,b\n1,2\n3,\n5,6\n")
    check_refusal(call, tmp_path, *OF_FEATURES[case])


def check_refusal(call, tmp_path, argv, message):
    files = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    code, out, err = call(*argv)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("partita: error: ")
    assert re.search(message, err), err
    assert files == {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
