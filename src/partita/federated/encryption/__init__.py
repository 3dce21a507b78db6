"""Sums that the server forms without reading them."""
