from ._label_blocks import LabelBlocks as LabelBlocks
from .columns._fit import fit_columns as fit_columns
