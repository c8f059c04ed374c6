"""
The dashboard's tiles. Each is read by itself, from counts or by a bounded look, and fails alone.

Source: research/consoles.md (d) "Dashboard"; DESIGN.md rule 9.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.db import DatabaseError, transaction

from messages_app.access import roles
from messages_app.first_page import message_tiles, store_tiles
from messages_app.first_page.look import Look
from messages_app.first_page.windows import DEFAULT_WINDOW
from messages_app.messages.states import FAILURE_STATES, UNDER_WAY_STATES, MessageState
from messages_app.web.clock import database_clock
from messages_app.web.time_limits import time_limit

logger = logging.getLogger(__name__)

_TILE_MS = 1_000
# What took longer than this is shown again for a hundred times as long as it took: many look at the same
# page, which asks every 15 s, and reading a tile costs a hundredth of a processor, however many they are.
_SLOW_SECONDS, _KEPT_TIMES, _KEPT_SECONDS = 0.01, 100, 30

Read = Callable[[Look], dict[str, object]]


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
    Yield the tiles; those that were slow to read a moment ago are not read again.

    Args:
        window: one of WINDOWS.
        user: who looks, and sees those that she may; None: the console itself.
    """
    names = [name for name, source in _SOURCES.items() if user is None or user.has_perm(source.permission)]
    kept = cache.get_many([_key(name, window) for name in names])
    with time_limit(_TILE_MS):
        look = Look(now=database_clock(), window=window)
        found = [kept.get(_key(name, window)) or _read_tile(name, look) for name in names]
    yield from found


def _key(name: str, window: str) -> str:
    return f"tile-{name}-{window}"


def _read_tile(name: str, look: Look) -> Tile:
    """Read a tile; keep it for a moment where that was slow."""
    began = time.monotonic()
    tile = _tile(name, look)
    if (took := time.monotonic() - began) > _SLOW_SECONDS:
        cache.set(_key(name, look.window), tile, min(took * _KEPT_TIMES, _KEPT_SECONDS))
    return tile


def _tile(name: str, look: Look) -> Tile:
    source = _SOURCES[name]
    shown = partial(Tile, name=name, read_at=look.now, query=source.query)
    try:
        with transaction.atomic():
            return shown(content=source.read(look))
    except DatabaseError:
        logger.warning("The tile %s could not be read.", name, exc_info=True)
        return shown(fault="This could not be read in time.")


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
