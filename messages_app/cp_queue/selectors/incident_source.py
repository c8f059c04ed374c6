"""Services that hold messages and have stopped polling, as a source of failures for incidents."""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta

from django.conf import settings

from messages_app.core.failure_sources import ItemSource, NewItem
from messages_app.core.statements import Statements
from messages_app.cp_queue.selectors import ServiceState, service_states

statements = Statements("messages_app.cp_queue")

NAME = "cp_queue"
_TEXT = "The service holds messages and has stopped polling"


def read_new(most: int) -> list[NewItem]:
    """Return the stopped services that are not counted yet. Each has as many failures as messages."""
    items = [
        NewItem(one.service, at, one.service, one.queues, "", "", _TEXT, max(one.reserved, 1))
        for one, at in _iterate_stopped()
    ]
    values = {"store": NAME, "keys": [item.key for item in items], "ats": [item.at for item in items]}
    counted = set(statements.fetch_column("counted_services", values)) if items else set()
    return [item for item in items if item.key not in counted][:most]


def find_failing(keys: Collection[str]) -> list[str]:
    stopped = {one.service for one, _ in _iterate_stopped()}
    return [key for key in keys if key in stopped]


def _iterate_stopped() -> Iterator[tuple[ServiceState, datetime]]:
    """Yield the stopped services, each with the time from which it counts as stopped."""
    for one in service_states():
        since = one.last_poll or one.longest_since
        if one.is_probably_dead and since is not None:
            yield one, since + timedelta(seconds=settings.CP_SILENT_SECONDS)


FAILURES = ItemSource(name=NAME, read_new=read_new, find_failing=find_failing)
