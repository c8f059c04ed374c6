"""
The dashboard's tiles. Each is read separately, from counts or by a bounded query. If one fails, the others
are shown.

Source: docs/contributing/spec/design.md, R-9, "First page".
"""

import logging
import time
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.core.cache import cache
from django.db import DatabaseError

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.core.clock import database_clock, time_limit
from messages_app.core.error_handlers import problem_of_denied
from messages_app.core.store_functions import functions_of_stores
from messages_app.core.stores import StoreTile, installed_stores
from messages_app.dashboard import message_tiles
from messages_app.dashboard.console_tiles import read_archive, read_jobs
from messages_app.dashboard.snapshot import DEFAULT_WINDOW, Snapshot
from messages_app.shared.message_states import UNDER_WAY_STATES, MessageState

logger = logging.getLogger(__name__)

_TILE_MS = 1_000
# A tile that took longer than this is reused for a hundred times as long: pages refresh every 15 s, and so
# reading a tile takes at most 1 % of a processor, for any number of users.
_SLOW_SECONDS, _KEPT_TIMES, _KEPT_SECONDS = 0.01, 100, 30
# A repair is shown within 5 s: an open page asks every 3 s.
_KEPT_OF_FAILURES = 1

Read = Callable[[Snapshot], Mapping[str, object]]


@dataclass(frozen=True, kw_only=True)
class Tile:
    """
    One tile: its content, or why it has none.

    Args:
        read_at: when it was read, by the database's clock.
        query: the query of the list that it links to; empty without a link.
    """

    name: str
    read_at: datetime
    content: Mapping[str, object] | None = None
    fault: str = ""
    query: str = ""


@dataclass(frozen=True, kw_only=True)
class _Source:
    """
    How a tile is read, who may see it, and the query of the list that it links to.

    Args:
        max_age: the maximum number of seconds that a slow tile is reused.
    """

    read: Read
    permission: str = roles.CAN_VIEW_MESSAGES
    query: str = ""
    max_age: float = _KEPT_SECONDS


def read_tiles(
    window: str = DEFAULT_WINDOW, *, user: Caller | None = None, names: Container[str] | None = None
) -> Iterator[Tile]:
    """
    Yield the tiles. Tiles that were slow to read a moment ago are not read again.

    Args:
        window: one of WINDOWS.
        user: whose permissions decide which tiles are read; None: the console itself.
        names: the tiles to read; None: all of them.
    """
    sources = {
        name: source
        for name, source in _sources_of_tiles().items()
        if (names is None or name in names) and (user is None or user.has_perm(source.permission))
    }
    yield from _read_sources(sources, window)


def read_store_tiles(user: Caller) -> list[tuple[Tile, str]]:
    """Return the tiles of stores that the user may see, each with its template."""
    templates = {tile.name: tile.template for tile in store_tiles() if user.has_perm(tile.permission)}
    sources = {name: source for name, source in _sources_of_tiles().items() if name in templates}
    return [(tile, templates[tile.name]) for tile in _read_sources(sources, DEFAULT_WINDOW)]


class _UnreadTileError(Exception):
    """
    A tile could not be read; its transaction can only be rolled back.

    Args:
        seconds: how long reading took.
    """

    def __init__(self, name: str, error: DatabaseError, *, seconds: float) -> None:
        super().__init__(name)
        self.name, self.error, self.seconds = name, error, seconds


def _read_sources(sources: Mapping[str, _Source], window: str) -> list[Tile]:
    """
    Read the tiles in one transaction.

    A tile that fails ends the transaction, and the others are read in another one. A savepoint for each tile
    would need twice as many statements as all tiles.
    """
    cached = cache.get_many([_cache_key(name, window) for name in sources])
    by_name: dict[str, Tile] = {}
    snapshot = None
    while len(by_name) < len(sources):
        try:
            with time_limit(_TILE_MS):
                snapshot = snapshot or Snapshot(now=database_clock(), window=window)
                for name in [name for name in sources if name not in by_name]:
                    by_name[name] = cached.get(_cache_key(name, window)) or _read_tile(
                        name, sources[name], snapshot
                    )
        except _UnreadTileError as unread:
            name, snapshot = unread.name, cast(Snapshot, snapshot)
            by_name[name] = _tile_of(name, sources[name], snapshot, fault=_fault_of(unread))
            _keep_if_slow(by_name[name], sources[name], snapshot, seconds=unread.seconds)
    return list(by_name.values())


def _cache_key(name: str, window: str) -> str:
    return f"tile-{name}-{window}"


def _read_tile(name: str, source: _Source, snapshot: Snapshot) -> Tile:
    """
    Read a tile.

    Raises:
        _UnreadTileError: it could not be read.
    """
    began = time.monotonic()
    try:
        content = source.read(snapshot)
    except DatabaseError as error:
        raise _UnreadTileError(name, error, seconds=time.monotonic() - began) from error
    tile = _tile_of(name, source, snapshot, content=content)
    _keep_if_slow(tile, source, snapshot, seconds=time.monotonic() - began)
    return tile


def _tile_of(
    name: str,
    source: _Source,
    snapshot: Snapshot,
    *,
    content: Mapping[str, object] | None = None,
    fault: str = "",
) -> Tile:
    return Tile(name=name, read_at=snapshot.now, content=content, fault=fault, query=source.query)


def _keep_if_slow(tile: Tile, source: _Source, snapshot: Snapshot, *, seconds: float) -> None:
    """Keep a tile for a short time if reading it was slow."""
    if seconds > _SLOW_SECONDS:
        cache.set(_cache_key(tile.name, snapshot.window), tile, min(seconds * _KEPT_TIMES, source.max_age))


def _fault_of(unread: _UnreadTileError) -> str:
    """Return why a tile has no content, outside of the transaction that failed."""
    if denied := problem_of_denied(unread.error):
        return denied.detail
    logger.warning("The tile %s could not be read.", unread.name, exc_info=unread.error)
    return "This could not be read in time."


def _query_of_states(states: frozenset[MessageState]) -> str:
    return "state=" + ",".join(state for state in MessageState if state in states)


_OF_CONSOLE: Mapping[str, _Source] = {
    "failing": _Source(
        read=message_tiles.read_failing, query=f"state={MessageState.FAILED}", max_age=_KEPT_OF_FAILURES
    ),
    "waiting": _Source(
        read=message_tiles.read_waiting,
        query=f"{_query_of_states(UNDER_WAY_STATES)}&last_process_timestamp_to=-15m",
    ),
    "oldest": _Source(
        read=message_tiles.read_oldest,
        query=f"{_query_of_states(message_tiles.UNFINISHED)}&ordering=receive_timestamp",
    ),
    "throughput": _Source(
        read=message_tiles.read_throughput, query=f"state={MessageState.OK}&last_process_timestamp_from=-1h"
    ),
    "alerts": _Source(read=message_tiles.read_alerts),
    "incidents": _Source(read=message_tiles.read_incidents, max_age=_KEPT_OF_FAILURES),
    "groups": _Source(read=message_tiles.read_groups, max_age=_KEPT_OF_FAILURES),
    "flow": _Source(read=message_tiles.read_flow),
    "services": _Source(read=message_tiles.read_services),
    "funnels": _Source(read=message_tiles.read_funnels),
    "systems": _Source(read=message_tiles.read_systems),
    "jobs": _Source(read=read_jobs, permission=roles.CAN_VIEW_JOBS),
}


_ON_PAGE = frozenset(_OF_CONSOLE) - {"services", "funnels"}


def _sources_of_tiles() -> dict[str, _Source]:
    """Return the sources of all tiles in their order; tiles of stores come before the archive."""
    sources = dict(_OF_CONSOLE)
    reads = {name: read for functions in functions_of_stores() for name, read in functions.tiles.items()}
    for tile in store_tiles():
        sources[tile.name] = _Source(read=reads[tile.name], permission=tile.permission)
    return sources | {"archive": _Source(read=read_archive)}


def page_tiles() -> frozenset[str]:
    """Return the names of the tiles that the page shows. The API has further ones."""
    return _ON_PAGE | {tile.name for tile in store_tiles()}


def store_tiles() -> list[StoreTile]:
    """Return the tiles of stores in their order."""
    return sorted(
        (tile for store in installed_stores() for tile in store.tiles), key=lambda tile: tile.position
    )
