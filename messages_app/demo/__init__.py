"""Realistic data to try the console on: generated from a seed, loaded with COPY."""
