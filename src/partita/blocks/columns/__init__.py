"""Fits whose clusterings are in several sources, or on several machines: each has some columns of the same objects."""
