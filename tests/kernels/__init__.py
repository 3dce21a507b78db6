"""Kernels against their slow twins.

``distinct``, ``agreement``, ``linkage`` and ``_jit`` have a file here. The others are tested where their methods are:

- ``bce``: consensus/models/test_bce.py and, with features, test_gbce.py; ``mixture``: test_multinomial_mixture.py there
- ``cells``: labels/test_tables.py
- ``label_kmeans``: consensus/kmeans/test_label_kmeans.py; ``kmeans``: selection/test_quick_kmeans.py
- ``nbce_gibbs``, ``nbce_climb``: consensus/nbce/test_partition_sampler.py; ``nbce_cvb``: consensus/nbce/test_cvb.py;
  ``nbce_search``: test_label_search.py there
- ``pcc_pairs``: consensus/pcc/test_problem.py, test_stored_pairs.py and test_greedy.py; ``pcc_labels``: test_problem.py
  and test_label_space.py there, consensus/pairwise/test_memberships.py
- ``dp_means``: dirichlet_process/test_dp_means.py; ``neal``: test_neal.py and test_dp_gaussian_model.py there
- ``internal``: metrics/test_distances.py, test_correlation.py and test_ensemble_pairs.py
- ``_warm_up`` compiles all of them before the first test (conftest.py)
"""
