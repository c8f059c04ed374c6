"""Keeps Python's garbage collection from taking a tenth of a run's time: thousands of tests and Django are no garbage."""

import gc

import pytest

_NEW_OBJECTS = 20_000  # after which the youngest are looked through; Python's own is 700


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
