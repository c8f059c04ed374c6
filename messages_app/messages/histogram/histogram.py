"""
How many messages of a filter were received when, by state: the picture above the list.

Counted slice by slice, from an index wherever the filter has one. Where that would be too many rows, only
windows of each slice are counted and the numbers are scaled up: a sample. Source: DESIGN.md rule 9.
"""

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from django.core.cache import cache
from django.db import connection
from django.db.models import Count, DateTimeField, DurationField, F, Func, Q, Value

from messages_app.drawing.histogram import Histogram
from messages_app.drawing.slices import ORIGIN, Slices, cut
from messages_app.messages.filtering import branches
from messages_app.messages.filtering.filters import CONTENT, MessageFilter
from messages_app.messages.sql import statement
from messages_app.web.clock import database_clock
from messages_app.web.keyset import Order
from messages_app.web.lists.branches import Part, is_few, planned_rows
from messages_app.web.time_limits import time_limit

MAX_MILLISECONDS = 1000
# Without a range the last 24 hours are drawn.
USUAL_SPAN = timedelta(days=1)

FROM, TO = "receive_timestamp_from", "receive_timestamp_to"
_BY_RECEIPT = Order(column="receive_timestamp", key="msg_id")
# So many rows are counted in about 120 ms from an index alone, and in 250 ms with their rows (1 million
# messages, 2 cores).
MOST_COUNTED = 400_000
_WINDOWS_A_SLICE = 12
# Received at another time than these, nothing is: the hub is younger.
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
# A picture that took longer than this is kept for so long.
_SLOW_SECONDS, _KEPT_SECONDS = 0.15, 20


# Messages by (slice number, state), and the share of the time that was counted.
Counted = tuple[dict[tuple[int, str], int], float]


def histogram(
    filters: MessageFilter, *, most_counted: int = MOST_COUNTED, timeout_ms: int = MAX_MILLISECONDS
) -> Histogram:
    """
    Return the histogram of a filter over its range of receipt, else over the last 24 hours.

    Args:
        most_counted: rows that are counted one by one; of more, a sample is.

    Raises:
        django.db.OperationalError: a part of it took longer than `timeout_ms`.
    """
    start, stop = _range(filters, database_clock().astimezone(UTC))
    slices = cut(start, stop)
    narrowed = _within(filters, start, stop)
    with time_limit(timeout_ms):
        counts, sampled = _kept_counts(narrowed, slices, most_counted)
    return Histogram(
        start=start,
        stop=stop,
        slices=slices,
        counts=counts,
        sampled=sampled,
        is_usual=not {FROM, TO} & set(filters.values),
        note="all payloads" if CONTENT in filters.values else "",
    )


def _range(filters: MessageFilter, now: datetime) -> tuple[datetime, datetime]:
    """Return the range that is drawn, at least a second of it."""
    latest = now + USUAL_SPAN
    stop = min(filters.values.get(TO, now), latest)
    start = filters.values.get(FROM)
    if start is None:
        start = max(stop, _EARLIEST) - USUAL_SPAN
    start = min(max(start, _EARLIEST - USUAL_SPAN), latest)
    return start, max(stop, start + timedelta(seconds=1))


def _within(filters: MessageFilter, start: datetime, stop: datetime) -> MessageFilter:
    values = {name: value for name, value in filters.values.items() if name != CONTENT}
    if not {FROM, TO} & set(filters.values):
        return MessageFilter(values | {FROM: start})
    return MessageFilter(values | {FROM: start, TO: stop})


def _kept_counts(filters: MessageFilter, slices: Slices, most_counted: int) -> Counted:
    """Count, or give what was counted a moment ago, if that took long: many look at the same picture."""
    text = f"{filters.as_query()} {slices}"
    key = f"histogram-{sha256(text.encode()).hexdigest()}"
    if (kept := cache.get(key)) is not None:
        return kept
    began = time.monotonic()
    counted = _count(filters, slices, most_counted)
    if time.monotonic() - began > _SLOW_SECONDS:
        cache.set(key, counted, _KEPT_SECONDS)
    return counted


def _count(filters: MessageFilter, slices: Slices, most_counted: int) -> Counted:
    counts: Counter[tuple[int, str]] = Counter()
    sampled = 1.0
    for part in branches.parts(filters, _BY_RECEIPT.column):
        found, share = _count_part(part, filters, slices, most_counted)
        counts.update(found)
        sampled = min(sampled, share)
    return dict(counts), sampled


def _count_part(
    part: Part, filters: MessageFilter, slices: Slices, most_counted: int
) -> tuple[Counter, float]:
    constant = part.constant(_BY_RECEIPT)
    besides = part.besides(constant)
    if besides.query.where and is_few(part.rows, _BY_RECEIPT, filters.ranges):
        return _count_few(part, slices), 1.0
    passed = part.others.model.objects.filter(**part.bounds, **(dict([constant]) if constant else {}))
    share = min(1.0, most_counted / max(planned_rows(passed), 1))
    return _count_windows(part, constant, slices, share), share


def _count_few(part: Part, slices: Slices) -> Counter:
    """Count rows that an index of the filter's own finds."""
    slice_of = Func(
        Value(slices.step, output_field=DurationField()),
        F("receive_timestamp"),
        Value(ORIGIN),
        function="date_bin",
        output_field=DateTimeField(),
    )
    found = part.rows.annotate(slice=slice_of).values_list("slice", "state").annotate(messages=Count("*"))
    return Counter({((start - slices.start) // slices.step, state): number for start, state, number in found})


def _count_windows(part: Part, constant: tuple[str, object] | None, slices: Slices, share: float) -> Counter:
    """Count windows of the slices, by the index of receipt, and scale them up to the whole."""
    windows = _windows(part, slices, share)
    table = part.others.model
    passed = Q(**dict([constant])) if constant else Q()
    constant_sql, constant_values = _condition(table.objects.filter(passed))
    others_sql, others_values = _condition(part.besides(constant, probed=True))
    names = {"table": connection.ops.quote_name(table._meta.db_table)}
    sql = statement("histogram").format(**names, constant=constant_sql, others=others_sql)
    with connection.cursor() as cursor:
        columns = [list(column) for column in zip(*windows, strict=True)]
        cursor.execute(sql, [*columns, *constant_values, *others_values])
        return Counter({(number, state): round(count / share) for number, state, count in cursor})


def _windows(part: Part, slices: Slices, share: float) -> list[tuple[int, datetime, datetime]]:
    """Return (slice, from, to) of what is counted, kept to the filter's own range."""
    windows = slices.samples(share, 1 if share == 1 else _WINDOWS_A_SLICE)
    first = part.bounds.get("receive_timestamp__gte", slices.start)
    # The filter's end is part of its range; a window's is not.
    last = part.bounds.get("receive_timestamp__lte", slices.stop) + timedelta(microseconds=1)
    return [(number, max(start, first), min(stop, last)) for number, start, stop in windows]


def _condition(rows: object) -> tuple[str, list[object]]:
    """Return the condition of a queryset as SQL that names the columns by their table."""
    if not rows.query.where:
        return "true", []
    compiler = rows.query.get_compiler(connection=connection)
    compiler.pre_sql_setup()
    sql, values = compiler.compile(rows.query.where)
    return sql, list(values)
