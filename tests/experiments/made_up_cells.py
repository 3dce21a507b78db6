"""Functions that tests run as cells and tasks, in this process and in others."""

import os

from partita.experiments._cells import Measured


def squares(*, numbers, shown="squares"):
    return Measured([{"method": "square", "data": shown, "n": n, "value": float(n * n)} for n in numbers])


def fails(*, shown="fails"):
    raise ValueError("there is nothing\nto compute")


def dies(*, shown="dies"):
    os._exit(3)
