from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.faults.watching import Watch
from tests.support.hub import RunningHub
from tests.support.oracle import Oracle
from tests.support.servers import Servers

if TYPE_CHECKING:
    from tests.faults.rig import Rig


@pytest.fixture(scope="package")
def running_rig(servers: Servers, django_db_setup: None) -> "Iterator[Rig]":
    from tests.faults.rig import Rig  # here: Django is not set up yet when this file is read

    rig = Rig(servers)
    rig.start()
    yield rig
    rig.stop()


@pytest.fixture
def rig(running_rig: "Rig", transactional_db: None) -> "Iterator[Rig]":
    """Give the rig with every part of it up, and no orders."""
    running_rig.failpoints.clear()
    yield running_rig
    running_rig.failpoints.clear()
    running_rig.until_whole()


@pytest.fixture
def watched(start_hub: Callable[..., RunningHub]) -> Iterator[Callable[[], Watch]]:
    """Give a function that starts a live hub, and an oracle that looks on ten times a second."""
    watches: list[Watch] = []

    def watch() -> Watch:
        hub = start_hub("--rate", "20", "--speed", "60")
        watches.append(Watch(Oracle(changes=hub.changes)))
        return watches[-1]

    yield watch
    for one in watches:
        one.end()
