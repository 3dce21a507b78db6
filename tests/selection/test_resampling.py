"""Samples of the objects and of the clusterings (eq. I54)."""


def test_samples_have_80_percent_of_the_objects(of_features):
    assert all(((X >= 0).sum(axis=0) == 40).all() for X in of_features.samples[0])
    assert len(of_features.samples) == 39  # of the data, and of 19 references of each kind
    assert [X.shape for X in of_features.samples[0]] == [(50, 6)] * 3
