"""How wide the terminal is."""

import shutil


def width() -> int:
    """Columns of the terminal, 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns
