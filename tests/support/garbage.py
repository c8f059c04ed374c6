"""
Save a tenth of the time of a run: objects loaded before the tests are not garbage, so they are not searched.
"""

import gc

import pytest

_NEW_OBJECTS = 100_000  # after which the youngest are searched; Python's own is 700
_IS_FROZEN = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(_NEW_OBJECTS)  # loading makes a million objects, which stay


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.stash.get(_IS_FROZEN, False):
        return  # with the first file of a queue most was loaded; to search it again for each would cost more
    session.config.stash[_IS_FROZEN] = True
    gc.collect()
    gc.freeze()
