"""numba on plain arrays. Kernels trust their caller: the door has validated everything."""
