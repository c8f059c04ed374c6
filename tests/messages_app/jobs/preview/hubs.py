"""Random hubs of any shape: ages, states, services, families, and the order of rows on the disk."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.backends.utils import CursorWrapper

from benchmarks.filling import stop_triggers

_AGES = {
    "uniform": "u * 400",
    "one spike": "CASE WHEN n %% 20 = 0 THEN u * 400 ELSE {spike} + u / 24 END",
    "two humps": "CASE WHEN u < 0.6 THEN 10 + v * 20 ELSE 200 + v * 30 END",
    "mostly young": "400 * u ^ 6",
    "mostly old": "400 * (1 - u ^ 6)",
    "in steps": "30 * floor(u * 13) + v",
}
_STATES = {
    "mostly ok": (
        "CASE WHEN v < 0.9 THEN 'OK' WHEN v < 0.94 THEN 'FAILED' WHEN v < 0.96 THEN 'CANCEL' ELSE 'NEW' END"
    ),
    "by age": "CASE WHEN age < 20 THEN 'PROCESSING' WHEN age < 60 THEN 'FAILED' ELSE 'OK' END",
    "mostly open": "CASE WHEN v < 0.03 THEN 'OK' WHEN v < 0.1 THEN 'FAILED' ELSE 'WAITING' END",
    "by service": "CASE WHEN n %% 10 < 5 AND v < 0.8 THEN 'FAILED' ELSE 'OK' END",
    "an outage": "CASE WHEN n BETWEEN {messages} * 0.4 AND {messages} * 0.45 THEN 'FAILED' ELSE 'OK' END",
}
_SERVICES = {
    "even": "'service-' || n %% 10",
    "skewed": "'service-' || floor(10 * w ^ 4)",
    "one after the other": "'service-' || n * 10 / ({messages} + 1)",
    "by age": "'service-' || floor(least(age, 399) / 40)",
}
_ORDERS = ("n", "age", "service, n", "random()")


@dataclass(frozen=True, kw_only=True)
class Hub:
    """One shape, by the names of its parts. `family` is the number of messages in a family, 1 for none."""

    ages: str
    states: str
    services: str
    order: str
    spike: int
    never_processed: float
    family: int
    is_analyzed: bool
    filler: int


def hub_by_chance(chance: random.Random) -> Hub:
    return Hub(
        ages=chance.choice(sorted(_AGES)),
        states=chance.choice(sorted(_STATES)),
        services=chance.choice(sorted(_SERVICES)),
        order=chance.choice(_ORDERS),
        spike=chance.randrange(5, 380),
        never_processed=chance.choice((0.0, 0.3, 1.0)),
        family=chance.choice((1, 1, 2, 5)),
        is_analyzed=chance.random() < 0.5,
        filler=chance.choice((10, 300)),
    )


def fill(cursor: CursorWrapper, hub: Hub, *, messages: int, filler: int | None = None) -> None:
    """Fill the empty table of messages. Indexes without a constraint are created again afterwards."""
    indexes = _dropped_indexes(cursor)
    triggers = stop_triggers(cursor)
    cursor.execute("SELECT setseed(0.5)")
    shape = {"messages": messages, "spike": hub.spike}
    named = {"age": _AGES[hub.ages], "state": _STATES[hub.states], "service": _SERVICES[hub.services]}
    parts = {name: text.format(**shape) for name, text in named.items()}
    cursor.execute(
        _ROWS.format(order=hub.order, **parts),
        {
            "messages": messages,
            "family": hub.family,
            "never": hub.never_processed,
            "filler": hub.filler if filler is None else filler,
        },
    )
    for each in (*indexes, *triggers):
        cursor.execute(each)
    if hub.is_analyzed:
        cursor.execute("ANALYZE message")


def _dropped_indexes(cursor: CursorWrapper) -> Sequence[str]:
    cursor.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indrelid = 'message'::regclass"
        "   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"
    )
    found = cursor.fetchall()
    for name, _ in found:
        cursor.execute(f"DROP INDEX {name}")
    return [definition for _, definition in found]


# Messages n to n + family - 1 are one family, the first its head. Ages are in days.
_ROWS = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,
                     state, operation_name, payload, last_process_timestamp, parent_msg_id)
SELECT n, 'corr-' || n, at, at, service, CASE WHEN n %% 7 = 0 THEN 'ERP' ELSE 'CRM' END,
       state, 'createInvoice', repeat('x', %(filler)s), CASE WHEN w >= %(never)s THEN at END,
       CASE WHEN n %% %(family)s > 0 THEN n - n %% %(family)s END
  FROM (SELECT *, now() - make_interval(secs => 86400 * age) AS at, {service} AS service, {state} AS state
          FROM (SELECT *, {age} AS age
                  FROM (SELECT n, random() AS u, random() AS v, random() AS w
                          FROM generate_series(%(family)s, %(messages)s + %(family)s - 1) AS n)
                    AS drawn) AS aged) AS shaped
 ORDER BY {order}
"""
