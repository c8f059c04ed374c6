"""
Counts the facts of messages on Spark: first all facts of each side, then candidates and pairs of candidates.

Tasks send sums, never rows. Source: docs/contributing/decisions/0041-analyses.md, "Counting".
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Protocol

from pyspark.sql import DataFrame

from spark_tasks.analyses.facts import Fact, list_lengths
from spark_tasks.analyses.fields import FieldTree
from spark_tasks.analyses.message_facts import FactReader
from spark_tasks.analyses.predicates import Kind, Predicate
from spark_tasks.analyses.sketches import FactSketch, SideCounts, read_counts, write_counts
from spark_tasks.database import init_worker
from spark_tasks.ranges import Batches, Reading, Task, as_frame, schema_of, to_batch

Progress = Callable[[int], None]

_ONE = ord("1")
# Messages whose pairs are counted together.
_MARKED_ROWS = 2_000
_SUMS = {"messages": "long", "sums": "string"}

# The number of messages by the places of two predicates, the smaller one first.
Together = Counter[tuple[int, int]]


@dataclass(frozen=True)
class PairCounts:
    """
    The exact number of messages by pair of predicates.

    Args:
        messages: all messages of the side.
        unreadable: payloads and envelopes that are not well-formed.
        together: messages with both predicates, by the places of both; those of one by its place twice.
    """

    messages: int
    unreadable: int
    together: Together

    def __add__(self, other: "PairCounts") -> "PairCounts":
        return PairCounts(
            self.messages + other.messages,
            self.unreadable + other.unreadable,
            self.together + other.together,
        )

    def count_both(self, one: int, other: int) -> int:
        return self.together[min(one, other), max(one, other)]


class Side(Protocol):
    """The failing or the passing messages of an analysis."""

    def count_facts(self) -> SideCounts:
        """Count all facts; rare values may be lost."""

    def count_pairs(self, predicates: Sequence[Predicate]) -> PairCounts:
        """Count the messages with each of the predicates, and with each pair of them."""


@dataclass(frozen=True)
class SparkSide:
    """
    Messages that Spark's tasks count.

    Args:
        messages: with MESSAGE_COLUMNS.
        progress: called with the number of messages of each part that was counted. It may raise an error to
            stop.
    """

    messages: DataFrame | Reading
    progress: Progress

    def count_facts(self) -> SideCounts:
        def sum_part(batches: Batches) -> Batches:
            side = sum_facts(batches)
            yield to_batch([(side.messages, write_counts(side))], _SUMS)

        total = SideCounts()
        for _, text in self._sum_parts(sum_part):
            total.merge_counts(read_counts(text))
        return total

    def count_pairs(self, predicates: Sequence[Predicate]) -> PairCounts:
        def sum_part(batches: Batches) -> Batches:
            counts = sum_pairs(batches, predicates)
            sums = json.dumps([counts.unreadable, [*counts.together.items()]])
            yield to_batch([(counts.messages, sums)], _SUMS)

        total = PairCounts(0, 0, Counter())
        for messages, text in self._sum_parts(sum_part):
            unreadable, pairs = json.loads(text)
            together = {(one, other): number for (one, other), number in pairs}
            total = total + PairCounts(messages, unreadable, Counter(together))
        return total

    def _sum_parts(self, task: Task) -> Iterator[tuple[int, str]]:
        """Yield the sums of each part as soon as it and those before it are counted."""
        for row in as_frame(self.messages.mapInArrow(task, schema_of(_SUMS))).toLocalIterator():
            self.progress(row.messages)
            yield row.messages, row.sums


def sum_facts(batches: Batches) -> SideCounts:
    """Count the facts of the messages of one part."""
    init_worker()
    reader, sketch = FactReader(), FactSketch()
    for batch in batches:
        for facts in reader.read_batch(batch):
            sketch.add_facts(facts)
    side = sketch.to_counts(reader.tree.fields)
    side.unreadable = reader.unreadable
    return side


def sum_pairs(batches: Batches, predicates: Sequence[Predicate]) -> PairCounts:
    """Count the predicates of the messages of one part, alone and in pairs."""
    init_worker()
    reader = FactReader()
    columns = _find_columns(predicates, reader.tree)
    keys = set(columns)
    total = 0
    together: Together = Counter()
    marks = [bytearray() for _ in range(2 * len(predicates))]
    for batch in batches:
        rows = len(marks[0])
        for digits in marks:
            digits.extend(b"0" * batch.num_rows)
        for row, facts in enumerate(reader.read_batch(batch), rows):
            for fact in facts & keys:
                for place in columns[fact]:
                    marks[place][row] = _ONE
        total += batch.num_rows
        if rows > _MARKED_ROWS:
            _add_pairs(together, _find_messages(predicates, marks))
            for digits in marks:
                digits.clear()
    _add_pairs(together, _find_messages(predicates, marks))
    return PairCounts(total, reader.unreadable, +together)


def _find_columns(predicates: Sequence[Predicate], tree: FieldTree) -> dict[Fact, list[int]]:
    """
    Return the columns to mark by fact.

    The first columns are those of the facts that make each predicate true, or false if it is MISSING. As many
    follow for the parents of missing fields.
    """
    columns: dict[Fact, list[int]] = {}
    for place, predicate in enumerate(predicates):
        for fact in _facts_of_predicate(predicate, tree.number_field(predicate.field)):
            columns.setdefault(fact, []).append(place)
        if predicate.kind is Kind.MISSING and predicate.field.parent:
            number = tree.number_field(predicate.field.parent)
            columns.setdefault(number, []).append(len(predicates) + place)
    return columns


def _find_messages(predicates: Sequence[Predicate], marks: Sequence[bytes]) -> list[int]:
    """
    Return the marked messages with each predicate.

    A set of messages is one whole number with a binary digit for each: thousands intersect in a microsecond.
    """
    if not marks[0]:
        return []
    everything = (1 << len(marks[0])) - 1
    sets = []
    for place, predicate in enumerate(predicates):
        messages = int(marks[place], 2)
        if predicate.kind is Kind.MISSING:
            around = int(marks[len(predicates) + place], 2) if predicate.field.parent else everything
            messages = around & ~messages
        sets.append(messages)
    return sets


def _add_pairs(together: Together, sets: Sequence[int]) -> None:
    for (one, first), (other, second) in combinations_with_replacement(enumerate(sets), 2):
        together[one, other] += (first & second).bit_count()


def _facts_of_predicate(predicate: Predicate, number: int) -> Iterator[Fact]:
    match predicate.kind:
        case Kind.VALUE | Kind.EMPTY:
            yield number, predicate.value
        case Kind.MISSING | Kind.PRESENT:
            yield number
        case Kind.AT_LEAST:
            yield from ((number, length) for length in list_lengths() if length >= predicate.length)
        case Kind.AT_MOST:
            yield from ((number, length) for length in list_lengths() if length <= predicate.length)
