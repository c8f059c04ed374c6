"""
The sources of failures that stores declare, and the failures of those without counts of their own.

Such a store has failures as rows: documents in doubt, messages in error, stopped services. The pass counts
each once, by the time of its newest failure.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from django.db import transaction

from messages_app.core.failure_sources import ItemSource, MessageSource, NewItem, OpenRows
from messages_app.core.statements import Statements
from messages_app.core.store_functions import functions_of_stores
from messages_app.core.transaction_locks import TransactionLock
from messages_app.incidents.cells import CellValues, Span, join_cells, note_counted
from messages_app.shared.error_hosts import find_host
from messages_app.shared.error_titles import describe_cause

statements = Statements("messages_app.incidents")
ITEM_COUNTERS = TransactionLock("hubconsole failure_item")

# New failures in one transaction, and the items of an incident that are looked up.
MAX_ITEMS = 5_000
FENCE = 20_000


def message_sources() -> Iterator[MessageSource]:
    for functions in functions_of_stores():
        if isinstance(functions.failures, MessageSource):
            yield functions.failures


def item_sources() -> Iterator[ItemSource]:
    for functions in functions_of_stores():
        if isinstance(functions.failures, ItemSource):
            yield functions.failures


def count_new_items() -> int:
    """Count the failures of stores without counts of their own that are new, and return their number."""
    return sum(_count_source(source) for source in item_sources())


def _count_source(source: ItemSource) -> int:
    total = 0
    while True:
        with transaction.atomic():
            if not ITEM_COUNTERS.try_acquire():
                return total
            items = source.read_new(MAX_ITEMS)
            counted = _count_items(source.name, items) if items else 0
        total += counted
        if counted < MAX_ITEMS:
            return total


def _count_items(store: str, items: Sequence[NewItem]) -> int:
    cells = [_cell_of(store, item) for item in items]
    spans: dict[CellValues, Span] = {}
    for cell, item in zip(cells, items, strict=True):
        span = spans.get(cell, Span(item.at, item.at))
        spans[cell] = Span(min(span.first, item.at), max(span.last, item.at))
    ids = join_cells(spans)
    values = {
        "store": store,
        "keys": [item.key for item in items],
        "cells": [ids[cell] for cell in cells],
        "ats": [item.at for item in items],
        "weights": [item.weight for item in items],
    }
    counted: int = statements.only_row("count_items", values)[0]
    note_counted()
    return counted


def _cell_of(store: str, item: NewItem) -> CellValues:
    return CellValues(
        store=store,
        service_name=item.service_name[:100],
        operation_name=item.operation_name[:100],
        source_system=item.source_system[:100],
        external_system=find_host(item.text),
        error_code=item.error_code[:30],
        cause=describe_cause(item.text),
    )


def count_affected_items(incident_ids: Collection[int]) -> Mapping[int, int]:
    return dict(statements.fetch_rows("affected_items", {"incidents": list(incident_ids), "most": FENCE}))


def count_open_items(incident_ids: Collection[int]) -> Mapping[int, OpenRows]:
    """Return the items of these incidents that are failing now, of up to FENCE of each."""
    keys: dict[str, dict[str, int]] = defaultdict(dict)
    values = {"incidents": list(incident_ids), "most": FENCE}
    for incident_id, store, key in statements.fetch_rows("items_of_incidents", values):
        keys[store][key] = incident_id
    counts: Counter[int] = Counter()
    for source in item_sources():
        incidents = keys.get(source.name)
        if incidents:
            counts.update(incidents[key] for key in source.find_failing(incidents))
    return {incident_id: OpenRows(count, count) for incident_id, count in counts.items()}
