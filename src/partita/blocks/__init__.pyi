from ._label_blocks import LabelBlocks as LabelBlocks
