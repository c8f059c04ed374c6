"""
Counts messages by fact in bounded memory.

The algorithm of Misra and Gries keeps the frequent values of each field: a value in more than a
MAX_VALUES-th of the messages is never lost, and a count is too low by at most `lost`. The counts of parts add
up (Agarwal et al., Mergeable Summaries, 2012).

Source: docs/contributing/decisions/0041-analyses.md, "Counting".
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from spark_tasks.analyses.facts import Fact
from spark_tasks.analyses.fields import Field, Source

# Values of one field that are counted further, whenever there is too much to count.
MAX_VALUES = 256
_MIN_VALUES = 8
# Facts that one task counts at a time; about 60 MB.
MAX_FACTS = 200_000


class FactSketch:
    """The facts of the messages that one task has read, with its own numbers of fields."""

    def __init__(self, *, max_facts: int = MAX_FACTS) -> None:
        self.messages = 0
        self.counts: Counter[Fact] = Counter()
        self.lost: Counter[int] = Counter()
        self._max_facts = max_facts

    def add_facts(self, facts: set[Fact]) -> None:
        """Count the facts of one message."""
        self.messages += 1
        self.counts.update(facts)
        if len(self.counts) > self._max_facts:
            self._forget_rare_values()

    def _forget_rare_values(self) -> None:
        """Halve the facts if possible. Numbers of fields and lengths stay, because both are few."""
        limit = MAX_VALUES
        while limit >= _MIN_VALUES and len(self.counts) > self._max_facts // 2:
            for number, values in self._values_by_field().items():
                self.lost[number] += forget_rarest(values, limit)
                for value, count in values.items():
                    self.counts[number, value] = count
            self.counts = +self.counts
            limit //= 2

    def _values_by_field(self) -> dict[int, dict[str, int]]:
        by_field: dict[int, dict[str, int]] = defaultdict(dict)
        for fact, count in self.counts.items():
            if isinstance(fact, tuple) and isinstance(fact[1], str):
                by_field[fact[0]][fact[1]] = count
        return by_field

    def to_counts(self, fields: Sequence[Field]) -> "SideCounts":
        """
        Return the counts by name.

        Args:
            fields: by number.
        """
        side = SideCounts(messages=self.messages)
        for fact, count in self.counts.items():
            number, value = fact if isinstance(fact, tuple) else (fact, None)
            if not number:
                continue  # It is beyond the limits of fields.
            counts = side.counts_of(fields[number])
            if value is None:
                counts.present = count
            elif isinstance(value, str):
                counts.values[value] = count
            else:
                counts.lengths[value] = count
        for number, lost in self.lost.items():
            if number:
                side.counts_of(fields[number]).lost = lost
        side.forget_rare_values()
        return side


def forget_rarest(values: dict[str, int], limit: int) -> int:
    """
    Subtract the same number from all counts of a field, so that at most `limit` are above zero.

    Returns:
        The number, by which each count is now too low at most. The caller removes counts below 1.
    """
    if len(values) <= limit:
        return 0
    less = sorted(values.values(), reverse=True)[limit]
    for value in values:
        values[value] -= less
    return less


@dataclass
class FieldCounts:
    """
    The number of messages by fact of one field.

    Args:
        present: messages that have the field.
        values: by value; each may be too low by at most `lost`.
        lengths: by the length of the longest value.
    """

    present: int = 0
    lost: int = 0
    values: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)


@dataclass
class SideCounts:
    """The counts of one side, failing or passing, of some or all of its parts."""

    messages: int = 0
    unreadable: int = 0
    fields: dict[Field, FieldCounts] = field(default_factory=dict)

    def counts_of(self, name: Field) -> FieldCounts:
        return self.fields.setdefault(name, FieldCounts())

    def count_present(self, name: Field) -> int:
        counts = self.fields.get(name)
        return counts.present if counts else 0

    def merge_counts(self, other: "SideCounts") -> None:
        """Add the counts of another part."""
        self.messages += other.messages
        self.unreadable += other.unreadable
        for name, counts in other.fields.items():
            mine = self.counts_of(name)
            mine.present += counts.present
            mine.lost += counts.lost
            mine.values.update(counts.values)
            mine.lengths.update(counts.lengths)
        self.forget_rare_values()

    def forget_rare_values(self) -> None:
        for counts in self.fields.values():
            counts.lost += forget_rarest(counts.values, MAX_VALUES)
            if counts.lost:
                counts.values = +counts.values


def write_counts(side: SideCounts) -> str:
    """Return the counts as JSON, in which a task sends them to the driver."""
    rows = [
        [*name, counts.present, counts.lost, counts.values, list(counts.lengths.items())]
        for name, counts in side.fields.items()
    ]
    return json.dumps([side.messages, side.unreadable, rows])


def read_counts(text: str) -> SideCounts:
    """Return the counts that a task has written."""
    messages, unreadable, rows = json.loads(text)
    fields = {
        Field(Source(source), path): FieldCounts(present, lost, Counter(values), Counter(dict(lengths)))
        for source, path, present, lost, values, lengths in rows
    }
    return SideCounts(messages, unreadable, fields)
