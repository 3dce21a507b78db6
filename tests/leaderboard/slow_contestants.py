"""Contestants for the tests of the leaderboard: quick, wrong, slow, and one that ends its process."""

import os
import time

import numpy as np
from benchmarks._answer_contestants import FOUND, GIVEN, Contestant


def first_column(labels, _):
    return labels[:, 0]


def one_cluster(labels, _):
    return np.zeros(len(labels), dtype=int)


def refuses(labels, _):
    raise ValueError("too many objects")


def sleeps(labels, _):
    time.sleep(60)


def crashes(labels, _):
    if len(np.unique(labels, axis=0)) > 3:
        os._exit(3)
    return labels[:, 0]


def prepare():
    """These need nothing."""


def contestants():
    return [
        Contestant("default", FOUND, first_column, "1"),
        Contestant("reference-rule", FOUND, one_cluster, "1"),
        Contestant("lwgp", GIVEN, first_column, "1"),
        Contestant("refuses", FOUND, refuses, "1"),
        Contestant("small", GIVEN, one_cluster, "1", most_rows=3),
        Contestant("sleeps", FOUND, sleeps, "1"),
        Contestant("crashes", FOUND, crashes, "1"),
    ]
