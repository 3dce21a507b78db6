"""Nonparametric Bayesian cluster ensembles: the number of clusters is found."""
