"""numba on plain arrays. Kernels trust their caller: the door has validated everything."""

from partita._kernels._warm_up import warm_up

__all__ = ["warm_up"]
