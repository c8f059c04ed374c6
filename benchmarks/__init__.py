"""Measure the product and its alternatives on the same machine: `make bench`."""
