"""Families of features, as the kernels number them; importable without numba."""

GAUSSIAN, POISSON, BERNOULLI = 0, 1, 2
