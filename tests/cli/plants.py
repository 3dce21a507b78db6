"""A small table of plants: ids, two features, a class in text; and what the printed Python lines give."""

import warnings

import numpy as np
import pandas as pd

SMALL = ["--n-clusterings", 8, "--base-clusters", "3-5"]
TRUTH = np.repeat([0, 1, 2], [20, 15, 10])
IDS = [f"p{i:03d}" for i in range(45)]


def frame():
    F = 6 * np.eye(3, 2)[TRUTH] + np.random.default_rng(0).standard_normal((45, 2))
    return pd.DataFrame(
        {"plant": IDS, "width": F[:, 0], "height": 100 * F[:, 1], "class": np.array(["u", "v", "w"])[TRUTH]}
    )


def scaled():
    F = frame()[["width", "height"]].to_numpy()
    return (F - F.mean(axis=0)) / F.std(axis=0)


def read(path):
    return pd.read_csv(path, dtype={"plant": str})


def run_lines(out):
    """What the printed Python lines give."""
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec("\n".join(line.strip() for line in out.split("in Python:")[1].splitlines()), namespace)
    return namespace["labels"]
