"""Wrong calls get one clear line on stderr, exit code 2, and leave all files as they are."""

import os
import re

import pytest

from tests.cli.leaks import leaks

QUICK = ["--resamples", "6", "-k", "2-4"]

OF_LABELS = {
    "unknown file": (["check", "none.csv"], "there is no file 'none.csv'"),
    "unknown column": (["consensus", "labels.csv", "--columns", "zz"], "has no column 'zz'; it has 'kmeans_k7_s0'"),
    "unknown ids": (["check", "labels.csv", "--id-column", "zz"], "has no column 'zz'"),
    "unknown command": (["consens"], "No such command 'consens'"),
    "unknown option": (["check", "labels.csv", "--colour"], "No such option:? '?--colour"),
    "unknown method": (["consensus", "labels.csv", "--method", "magic"], "'magic' is not one of 'auto', 'eac'"),
    "no file named": (["consensus"], "Missing argument 'FILE'"),
    "bad number": (["consensus", "labels.csv", "-k", "0"], "'0' is no number of clusters; .* from 1, or auto"),
    "number in words": (["consensus", "labels.csv", "-k", "three"], "'three' is no number of clusters"),
    "fraction": (["compare", "labels.csv", "-k", "2.5"], "'2.5' is no number of clusters"),
    "number twice, one by the rule": (
        ["consensus", "labels.csv", "-k", "auto", "--set", "n_clusters=5"],
        "--n-clusters and --set n_clusters=... set the same parameter",
    ),
    "parameter of another method": (
        ["consensus", "labels.csv", "--set", "linkage=ward"],
        r"method 'lwgp' \(auto\) has no parameter 'linkage'",
    ),
    "too many clusters": (
        ["consensus", "labels.csv", "-m", "eac", "-k", "500"],
        "--n-clusters 500 exceeds the 178 distinct rows of FILE",
    ),
    "every method fails": (
        ["compare", "labels.csv", "--methods", "eac,multi-eac", "-k", "500", "-o", "t.csv"],
        "no method gave a result: eac: --n-clusters 500 exceeds .* multi-eac: ",
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
    "unknown setting": (
        ["consensus", "labels.csv", "-m", "eac", "--set", "power=9"],
        "has no parameter 'power'; it has allow_one",
    ),
    "bad value": (["consensus", "labels.csv", "-m", "eac", "--set", "linkage=best"], "--set linkage of EAC must be"),
    "no folder": (["consensus", "labels.csv", "-o", "none/o.csv"], "there is no folder 'none'"),
    "output is input": (["consensus", "labels.csv", "-o", "labels.csv"], "is the input"),
    "output of unknown kind": (["consensus", "labels.csv", "-o", "o.doc"], "the format of 'o.doc' is not known"),
    "bad divergence": (
        ["consensus", "labels.csv", "-m", "pcc", "-k", "3", "--divergence", "chi2"],
        "--divergence chi2 is not known; choose from 'kl'",
    ),
    "bad pairs": (["consensus", "labels.csv", "-m", "pcc", "-k", "3", "--pairs", "few"], "--pairs"),
    "confidence to npy": (["consensus", "labels.csv", "--confidence", "c.npy"], "npy cannot hold"),
    "two results in one file": (
        ["consensus", "labels.csv", "-m", "pcc", "-k", "3", "-o", "o.csv", "--membership", "o.csv"],
        "choose different names",
    ),
    "exclusive options": (["check", "labels.csv", "--id-column", "wine", "--no-ids"], "exclude each other"),
    "a folder": (["check", "."], "is a folder"),
    "empty file": (["check", "empty.csv"], "is empty"),
    "all missing": (["consensus", "holes.csv"], "all 6 labels of FILE, shape .3, 2., are missing"),
    "infinity": (["consensus", "inf.csv"], "is infinity"),
    "ragged": (["check", "ragged.csv"], "line 3 has 3 fields and the first row has 2"),
}

OF_FEATURES = {
    "text": (["generate", "table.csv"], "Text: 'class' .u, v, w.. What to do: .* --drop class; .* --encode"),
    "text to cluster": (["cluster", "table.csv"], "Text: 'class'"),
    "text to choose": (["choose", "table.csv"], "Text: 'class'"),
    "hole": (["cluster", "holes.csv"], "'holes.csv' has .* Missing values: 'b' .1 of 3.. .* by --impute median"),
    "hole in generate": (["generate", "holes.csv"], "Missing values: 'b'"),
    "all at once": (
        ["cluster", "mixed.csv"],
        r"Text: 'kind' \(a, b\). Dates or times: 'day' \(2024-01-01, .*\). Missing values: 'x' \(1 of 4\). Constant, "
        "without effect: 'one'. What to do: leave columns out by --drop kind,day; .* --encode; .* --impute median",
    ),
    "second ids": (["cluster", "ids.csv"], "Ids .*: 'order_id' .7, 8, .*--drop order_id; .* --id-column"),
    "unknown filling": (["cluster", "holes.csv", "--impute", "zero"], "'zero' is not one of 'median', 'mean'"),
    "features for consensus": (["consensus", "plain.csv"], "like a table of features, .* `partita cluster plain.csv"),
    "features for compare": (["compare", "plain.csv"], "looks like a table of features, .* --force"),
    "one measurement": (["consensus", "beside.csv"], "'score' of .* looks like a measurement, .* --drop score"),
    "filling of labels": (["choose", "labels.csv", "--impute", "mean"], "--impute is for features, .* --kind features"),
    "no labels left": (["check", "beside.csv", "--drop", "a,b,c,score"], "no column of labels left"),
    "large": (["cluster", "large.csv"], "FILE has values up to 9e.200, whose squares overflow"),
    "large to choose": (["choose", "large.csv", "--kind", "features"], "whose squares overflow"),
    "large to generate": (["generate", "large.csv"], "whose squares overflow"),
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
    "unknown algorithm": (["generate", "plain.csv", "--base", "ward,wrad"], "--base wrad is not known; choose"),
    "samples of anchors": (["generate", "plain.csv", "--base", "anchor", "--sample-fraction", "0.5"], "share all"),
    "no number": (["generate", "plain.csv", "--base-clusters", "few"], "'few' is not a number of clusters; write 8"),
    "range backwards": (["generate", "plain.csv", "--base-clusters", "5-2"], "-clusters 5-2 is not a range; pass LOW-"),
    "too many": (["cluster", "plain.csv", "--base-clusters", "46"], "-clusters 46 exceeds the 45 .* --sample-fraction"),
    "no sample": (["cluster", "plain.csv", "--sample-fraction", "0"], "0.0 is not in the range 0<x<=1"),
    "needs a number": (["cluster", "plain.csv", "-m", "bce"], "needs the number of clusters; pass --n-clusters"),
    "number twice": (["cluster", "plain.csv", "-k", "3", "--set", "n_clusters=5"], "--n-clusters and --set n_clusters"),
    "unknown setting": (["cluster", "plain.csv", "--set", "power=9"], "has no parameter 'power'"),
    "confidence over input": (["cluster", "plain.csv", "--confidence", "plain.csv"], "is the input"),
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
    "unknown drop from labels": (["choose", "labels.csv", "--drop", "zz"], "has no column 'zz'"),
    "features as a flag": (["choose", "plain.csv", "--features"], "pass --kind features if FILE holds features"),
    "features as a file": (["choose", "labels.csv", "--features", "plain.csv"], "has no option --features"),
    "exclusive": (["cluster", "table.csv", "--no-ids", "--id-column", "plant"], "exclude each other"),
    "few samples": (["choose", "labels.csv", "--resamples", "1"], "1 is not in the range x>=2"),
    "few references": (["choose", "labels.csv", "--references", "5"], "--references 5 cannot show p <= 0.05"),
    "numbers out of reach": (["choose", "labels.csv", "-k", "2-40"], "--n-clusters 2-40 must be numbers from 2 to 35"),
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
    (tmp_path / "mixed.csv").write_text(
        "kind,day,x,one\na,2024-01-01,0.5,1\na,2024-01-02,,1\nb,2024-02-01,0.25,1\nb,2024-02-03,0.75,1\n"
    )
    (tmp_path / "ids.csv").write_text("customer_id,order_id,x\n1,7,0.5\n2,8,0.25\n3,9,0.75\n")
    rows = "".join(f"{i % 2},{i % 3},{i % 2},{i + 0.25}\n" for i in range(30))
    (tmp_path / "beside.csv").write_text("a,b,c,score\n" + rows)
    (tmp_path / "large.csv").write_text("a,b\n" + "".join(f"{i}e200,{i}.5\n" for i in range(10)))
    check_refusal(call, tmp_path, *OF_FEATURES[case])


def check_refusal(call, tmp_path, argv, message):
    files = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    code, out, err = call(*argv)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("partita: error: ")
    assert re.search(message, err), err
    assert not leaks(err), err
    assert files == {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
