"""Fits of more distinct rows than fit in memory: sums over parts of the rows, a sample, and a pass that places all."""
