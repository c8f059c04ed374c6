"""
The dashboard's tiles. Each is read by itself, from counts or by a bounded look, and fails alone.

Source: research/consoles.md (d) "Dashboard"; DESIGN.md rule 9.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.db import DatabaseError

from messages_app.access import roles
from messages_app.first_page import message_tiles, store_tiles
from messages_app.first_page.windows import DEFAULT_WINDOW
from messages_app.messages.states import FAILURE_STATES, UNDER_WAY_STATES, MessageState
from messages_app.web.clock import database_clock
from messages_app.web.time_limits import time_limit

logger = logging.getLogger(__name__)

_TILE_MS = 1_000
# What took longer than this is shown again for a hundred times as long as it took: many look at the same
# page, which asks every 15 s, and reading a tile costs a hundredth of a processor, however many they are.
_SLOW_SECONDS, _KEPT_TIMES, _KEPT_SECONDS = 0.01, 100, 30

Read = Callable[[datetime, str], dict[str, object]]


@dataclass(frozen=True, kw_only=True)
class Tile:
    """
    One tile: what it shows, or why it cannot.

    Args:
        read_at: when it was read, by the database's clock.
        query: of the list that it opens, empty where it opens none.
    """

    name: str
    read_at: datetime
    content: Mapping[str, object] | None = None
    fault: str = ""
    query: str = ""


@dataclass(frozen=True, kw_only=True)
class _Source:
    """Where a tile comes from, who may see it, and the query of the list that it opens."""

    read: Read
    permission: str = roles.CAN_VIEW_MESSAGES
    query: str = ""


def tiles(window: str = DEFAULT_WINDOW, *, user: AbstractBaseUser | None = None) -> Iterator[Tile]:
    """
    Yield the tiles.

    Args:
        window: one of WINDOWS.
        user: who looks, and sees those that she may; None: the console itself.
    """
    now = database_clock()
    for name, source in _SOURCES.items():
        if user is None or user.has_perm(source.permission):
            yield _kept_tile(name, source, now, window)


def _kept_tile(name: str, source: _Source, now: datetime, window: str) -> Tile:
    """Read a tile, or give one that was slow to read a moment ago."""
    key = f"tile-{name}-{window}"
    if (kept := cache.get(key)) is not None:
        return kept
    began = time.monotonic()
    tile = _tile(name, source.read, now, window)
    tile = replace(tile, query=source.query)
    if (took := time.monotonic() - began) > _SLOW_SECONDS:
        cache.set(key, tile, min(took * _KEPT_TIMES, _KEPT_SECONDS))
    return tile


def _tile(name: str, read: Read, now: datetime, window: str) -> Tile:
    try:
        with time_limit(_TILE_MS):
            return Tile(name=name, read_at=now, content=read(now, window))
    except DatabaseError:
        logger.warning("The tile %s could not be read.", name, exc_info=True)
        return Tile(name=name, read_at=now, fault="This could not be read in time.")


def _states(states: frozenset[MessageState]) -> str:
    return "state=" + ",".join(state for state in MessageState if state in states)


_SOURCES: Mapping[str, _Source] = {
    "failing": _Source(read=message_tiles.failing, query=_states(FAILURE_STATES)),
    "waiting": _Source(
        read=message_tiles.waiting, query=f"{_states(UNDER_WAY_STATES)}&last_process_timestamp_to=-15m"
    ),
    "oldest": _Source(
        read=message_tiles.oldest, query=f"{_states(message_tiles.UNFINISHED)}&ordering=receive_timestamp"
    ),
    "throughput": _Source(
        read=message_tiles.throughput, query=f"state={MessageState.OK}&last_process_timestamp_from=-1h"
    ),
    "alerts": _Source(read=message_tiles.alerts),
    "groups": _Source(read=message_tiles.groups),
    "flow": _Source(read=message_tiles.flow),
    "services": _Source(read=message_tiles.services),
    "funnels": _Source(read=message_tiles.funnels),
    "systems": _Source(read=message_tiles.systems),
    "jobs": _Source(read=store_tiles.jobs, permission=roles.CAN_VIEW_JOBS),
    "cp_queue": _Source(read=store_tiles.cp_queues, permission=roles.CAN_VIEW_CP_QUEUE),
    "documents": _Source(read=store_tiles.documents, permission=roles.CAN_VIEW_DOCUMENT_HISTORY),
    "store": _Source(read=store_tiles.store, permission=roles.CAN_VIEW_STORE),
    "archive": _Source(read=store_tiles.archive),
}
