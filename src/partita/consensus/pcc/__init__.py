"""Probabilistic consensus clustering."""
