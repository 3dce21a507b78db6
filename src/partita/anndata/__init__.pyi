# The public names and where they live: read by type checkers and, at run time, by lazy_loader.
from ._consensus import consensus as consensus
from ._ensemble import ensemble as ensemble
from ._plot import plot as plot
from ._result import result as result
