"""The errors and warnings that partita raises, for those who want to catch one kind."""


class LabelMatrixError(ValueError):
    """The label matrix cannot be read as (n_samples, n_clusterings) labels."""


class NotEnoughMemoryError(MemoryError):
    """A step was refused before it started, because it would not fit in memory."""


class FileFormatError(ValueError):
    """A file could not be read as, or written in, the form that its name or content promises."""


class BlockError(ValueError):
    """A block of labels could not be read, is not like the others, or changed while it was used; it is named."""


class ClusterError(RuntimeError):
    """The Dask cluster that a fit ran on is gone, or cannot run it."""


class Stopped(Exception):  # noqa: N818 (not a mistake of anyone: what was asked for)
    """A fit ended before it had a result, because its limits said so: it was cancelled, or its time was over."""


class Cancelled(Stopped):
    """The flag that was passed as ``cancel`` was set during a fit."""


class TimeLimitReached(Stopped, TimeoutError):  # noqa: N818 (the same)
    """The time of ``max_time`` was over before a fit had come to its end."""


class MissingExtraError(ImportError):
    """An optional library is needed; the message names the extra that installs it."""


class FederationError(RuntimeError):
    """A fit of several sites did not come to its end."""


class SiteError(FederationError):
    """Sites of a federation did not answer, or answered what cannot be used; the fit ended without them being left out.

    Attributes
    ----------
    sites : dict
        Name of each such site, and what it did.
    """

    def __init__(self, sites: dict[str, str]) -> None:
        self.sites = dict(sites)
        told = "; ".join(f"site {name!r} {reason.rstrip('.')}" for name, reason in self.sites.items())
        super().__init__(f"{told}.")


class DisclosureError(ValueError):
    """A federated fit was refused, because its messages would show what a site may want to keep."""


class EmptyColumnWarning(UserWarning):
    """Clusterings without any label were dropped."""


class UnlabelledObjectsWarning(UserWarning):
    """Objects without any label were left out of the consensus and labelled -1."""


class FeaturesWarning(UserWarning):
    """A column of fractional numbers, nearly all different, was taken for labels."""


class LeftOutWarning(UserWarning):
    """A metric left out objects that are unlabelled (-1) in one of its arguments."""


class PartitionerWarning(UserWarning):
    """The partitioner that was asked for is not installed, or found no partition, and another one was used."""


class IdentifiabilityWarning(UserWarning):
    """A model was fitted to data that cannot tell its parameters, such as a mixture to a single clustering."""


class FewerClustersWarning(UserWarning):
    """Fewer clusters than were asked for can be made, or have objects."""


class AmbiguousNumberWarning(UserWarning):
    """Two numbers of clusters are nearly as good, and one of them was taken."""


class WeakStructureWarning(UserWarning):
    """Clusterings agree no better than clusterings of one cloud of points would."""


class SkippedClusteringWarning(UserWarning):
    """Some base clusterings of an ensemble failed or did not converge, and were left out."""


class FileContentWarning(UserWarning):
    """A file was not read as it is written: blanks, words for missing values, a guessed encoding, or repeated ids."""


class KernelCacheWarning(UserWarning):
    """Compiled kernels cannot be kept on disk, so every session compiles them again."""


class MethodWarning(UserWarning):
    """A method that another package offers cannot be used and was left out; the message names both."""
