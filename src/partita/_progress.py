"""One progress bar for all slow loops; it shows itself after two seconds and only when asked to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    """What a loop needs of a progress bar."""

    def update(self, n: int) -> object:
        """Report that ``n`` more steps are done."""


class _Silent:
    def update(self, n: int) -> None:
        pass


@contextmanager
def progress(total: int, title: str, *, show: bool) -> Iterator[Progress]:
    """Open a bar over ``total`` steps; without ``show`` it is silent."""
    if not show:
        yield _Silent()
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=title, delay=2.0, leave=False, unit="") as bar:
        yield bar
