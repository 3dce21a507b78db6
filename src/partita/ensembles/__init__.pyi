# The public names and where they live: read by type checkers and, at run time, by lazy_loader.
from ._diversity import Diversity as Diversity, diversity as diversity
from ._alignment import align_labels as align_labels
from ._selection import Selection as Selection, select_clusterings as select_clusterings
from ._enough import Enough as Enough, enough_clusterings as enough_clusterings
from ._resolutions import ResolutionTree as ResolutionTree, resolution_tree as resolution_tree
