"""
Looks into a set without reading all of it: whole where it is small, else at places spread over an index.

A sample is taken as an index lies: its range is cut into intervals, the first rows of each are read, and each
row stands for as many as its interval seems to hold. So an outage that failed thousands in one hour weighs as
much as it should. The sum is the planner's estimate of the index' rows, which for one column is a good one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from django.db import connection
from django.db.models import QuerySet
from psycopg import sql

from messages_app.jobs.previewing.deadline import Deadline
from messages_app.jobs.previewing.sets import AGE, Path, Piece
from messages_app.jobs.previewing.sql import statement
from messages_app.messages.models import Message
from messages_app.messages.states import FINAL_STATES
from messages_app.web.lists.branches import plan
from messages_app.web.time_limits import time_limit

# So many rows are read whole; by an index, or from a table this cheap to read.
MOST_EXACT = 50_000
_CHEAP = 3_000
# Of a sample: intervals of the index, and rows of each.
_INTERVALS, _ROWS_EACH = 300, 10
# Of a sample that fewer belong to, little can be said.
_ENOUGH = 20
_FIRST = 1_000
# A slow disk: fewer.
_FEW_INTERVALS, _FEW_ROWS_EACH = 50, 4

COLUMNS = ("msg_id", "state", "service_name", "failed_error_code", "funnel_component_id")


class Seen(NamedTuple):
    """A message that was looked at, and how many it stands for."""

    msg_id: int
    state: str
    service_name: str
    failed_error_code: str | None
    funnel_component_id: str | None
    weight: float = 1.0
    is_archived: bool = False


@dataclass(frozen=True, kw_only=True)
class Look:
    """
    What a look into a set found.

    Args:
        messages: about how many the set has.
        seen: those that were read, their weights adding up to `messages`.
        is_exact: they are the whole set.
        looked_at: rows read, those beside the set too.
    """

    messages: float
    seen: Sequence[Seen]
    is_exact: bool
    looked_at: int


def look_into(pieces: Sequence[Piece], deadline: Deadline) -> Look:
    """Look into every piece, each for its share of the time."""
    looks = []
    for number, piece in enumerate(pieces):
        looks.append(_look(piece, deadline, share=1 / (len(pieces) - number)))
    return Look(
        messages=sum(look.messages for look in looks),
        seen=[seen for look in looks for seen in look.seen],
        is_exact=all(look.is_exact for look in looks),
        looked_at=sum(look.looked_at for look in looks),
    )


def _look(piece: Piece, deadline: Deadline, *, share: float) -> Look:
    with time_limit(deadline.left_ms()):
        planned = plan(piece.rows.values("pk"))
    if _is_readable(planned):
        rows = deadline.within(lambda: list(_narrow(piece.rows)[: MOST_EXACT + 1]), share=share * 0.5)
        if rows is not None and len(rows) <= MOST_EXACT:
            return _whole(rows, piece)
    found = None
    for intervals, most in ((_INTERVALS, _ROWS_EACH), (_FEW_INTERVALS, _FEW_ROWS_EACH)):
        found = found or deadline.within(lambda: _sample(piece, intervals, most), share=share * 0.4)  # noqa: B023
    if found and (found.is_exact or len(found.seen) >= _ENOUGH):
        return _scaled(found, planned["Plan Rows"]) if piece.is_plain else found
    first = deadline.within(lambda: _first(piece, planned["Plan Rows"]), share=share * 0.5)
    return first or found or Look(messages=planned["Plan Rows"], seen=[], is_exact=False, looked_at=0)


def _first(piece: Piece, planned: int) -> Look:
    """Take the rows that are found first, where a sample meets too few of them."""
    rows = _narrow(piece.rows)
    if "Seq Scan" in rows[: _FIRST + 1].explain():
        rows = rows.order_by("pk")  # found by an index, and of most sets as soon
    look = _whole(list(rows[: _FIRST + 1]), piece)
    return look if look.messages <= _FIRST else _scaled(replace(look, is_exact=False), planned)


def _scaled(look: Look, messages: int) -> Look:
    """Have a sample add up to what the planner expects."""
    if look.is_exact or not look.messages or messages < len(look.seen):
        return look
    factor = messages / look.messages
    seen = [each._replace(weight=each.weight * factor) for each in look.seen]
    return replace(look, messages=messages, seen=seen)


def _is_readable(planned: dict) -> bool:
    if planned["Plan Rows"] > MOST_EXACT:
        return False
    return "Seq Scan" not in str(planned) or planned["Total Cost"] <= _CHEAP


def _narrow(rows: QuerySet) -> QuerySet:
    return rows.order_by().values_list(*COLUMNS)


def _whole(rows: list[tuple], piece: Piece) -> Look:
    is_archived = piece.rows.model is not Message
    seen = [Seen(*row, is_archived=is_archived) for row in rows]
    return Look(messages=len(seen), seen=seen, is_exact=True, looked_at=len(seen))


def _sample(piece: Piece, intervals: int, most: int) -> Look:
    path, planned = piece.best_path()
    interval = path.interval()
    if interval is None:
        return _whole([], piece)
    lows, highs = _cut(*interval, parts=intervals)
    rows = _probe(path, lows, highs, most)
    weights, is_whole = _weights(rows, highs, lows, most=most, planned=planned)
    mine = _in_set([row[1] for row in rows], piece)
    is_archived = piece.rows.model is not Message
    seen = [
        Seen(*row[1:6], weight=weights[row[0]], is_archived=is_archived) for row in rows if row[1] in mine
    ]
    messages = sum(each.weight for each in seen)
    return Look(messages=messages, seen=seen, is_exact=is_whole, looked_at=len(rows))


def _cut(first: object, end: object, *, parts: int) -> tuple[list, list]:
    """Return where each of `parts` adjoining intervals begins, and where it ends."""
    width = end - first
    if isinstance(first, datetime):
        bounds = [first + width * part / parts for part in range(parts)]
    else:
        bounds = sorted({first + width * part // parts for part in range(parts)})
    return bounds, [*bounds[1:], end]


def _probe(path: Path, lows: list, highs: list, most: int) -> list[tuple]:
    """Return (interval's number, COLUMNS, place in the index) of the rows read."""
    query = sql.SQL(statement("probe")).format(
        type=sql.SQL("timestamptz" if isinstance(lows[0], datetime) else "bigint"),
        table=sql.Identifier(path.rows.model._meta.db_table),
        column=_AGE if path.column == AGE else sql.Identifier(path.column),
        held=_held(path),
    )
    values = {"lows": lows, "highs": highs, "most": most, "finals": sorted(FINAL_STATES)}
    with connection.cursor() as cursor:
        cursor.execute(
            query.as_string(cursor.connection), values | {"value": path.constant and path.constant[1]}
        )
        return cursor.fetchall()


_AGE = sql.SQL("coalesce(last_process_timestamp, receive_timestamp)")


def _held(path: Path) -> sql.Composable:
    """Return what holds of every row of the path's index, so that the planner sees that the index fits."""
    if path.column == AGE:
        return sql.SQL("state = ANY (%(finals)s)")
    if path.constant is not None:
        return sql.SQL("{} = %(value)s").format(sql.Identifier(path.constant[0]))
    return sql.SQL("true")


def _weights(
    rows: list[tuple], highs: list, lows: list, *, most: int, planned: int
) -> tuple[dict[int, float], bool]:
    """Return for how many each row of an interval stands, by its number, and whether all were read."""
    read: dict[int, list] = {}
    for row in rows:
        read.setdefault(row[0], []).append(row[-1])
    if all(len(places) < most for places in read.values()):
        return dict.fromkeys(read, 1.0), True
    expected = {no: _expected(places, lows[no - 1], highs[no - 1], most=most) for no, places in read.items()}
    scale = planned / sum(expected.values()) if planned >= len(rows) else 1.0
    return {no: expected[no] * scale / len(places) for no, places in read.items()}, False


def _expected(places: list, low: object, high: object, *, most: int) -> float:
    """Return about how many rows an interval holds, by how far its first rows reach."""
    if len(places) < most:
        return len(places)
    reach = places[-1] - low
    share = reach / (high - low) if reach else 0
    return max(len(places), len(places) / share if share else 0)


def _in_set(msg_ids: list[int], piece: Piece) -> set[int]:
    """Return which of the messages belong to the set."""
    found = piece.rows.filter(pk__in=msg_ids).order_by().values_list("pk", flat=True)
    return set(found)
