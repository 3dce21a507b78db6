"""Soft clusterings for tests: labels as one-hot rows, and probabilities with a known truth."""

import numpy as np


def one_hot_blocks(X):
    """One matrix per column of labels, rows NaN where a label is missing."""
    blocks = [(column[:, None] == np.arange(X.max() + 1)).astype(float) for column in X.T]
    return [np.where(column[:, None] >= 0, block, np.nan) for column, block in zip(X.T, blocks, strict=True)]


def posteriors(sizes=(30, 20, 12), n_clusterings=6, missing=0.0, seed=0):
    """Probabilities of three Gaussians on a line, of clusterings that saw them through noise."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat([0, 1, 2], sizes))
    blocks = []
    for _ in range(n_clusterings):
        x = 4.0 * truth + rng.normal(size=len(truth))
        density = np.exp(-0.5 * (x[:, None] - 4.0 * rng.permutation(3)) ** 2)
        block = density / density.sum(axis=1, keepdims=True)
        block[rng.random(len(truth)) < missing] = np.nan
        blocks.append(block)
    blocks[0] = np.where(np.isnan(blocks[0]), 1 / 3, blocks[0])
    return blocks, truth
