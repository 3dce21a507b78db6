"""A consensus method that fails."""

from partita import LabelKMeans


class Broken(LabelKMeans):
    def fit(self, X, y=None, sample_weight=None):
        raise RuntimeError("it broke")
