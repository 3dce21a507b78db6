# The public names and where they live: read by type checkers and, at run time, by lazy_loader.
from ._write import write_report as write_report
