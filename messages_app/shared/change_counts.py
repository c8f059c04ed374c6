"""Counts the changes to many payloads by their kind. Imports no Django code, because executors use it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from messages_app.shared.job_records import ChangesReport
from messages_app.shared.replacements import Correction

# Kinds in a report, and in memory. Payloads whose elements are named by data could have any number.
_MAX_KINDS, _MAX_COUNTED = 50, 2_000
_CHANGED, _REFUSED, _KIND = "changed", "refused", "kind"

# The type of the count, the reason or the place, the number of messages, and the first of them.
CountRow = tuple[str, str, int, int]


class ChangeCounts:
    """The counts of changed and refused messages, and of the kinds of changes with an example each."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], int] = {}

    @property
    def looked_at(self) -> int:
        return sum(count for (what, _), count in self._counts.items() if what != _KIND)

    def add_correction(self, msg_id: int, correction: Correction) -> None:
        if correction.refusal:
            self._add(_REFUSED, str(correction.refusal), 1, msg_id)
            return
        self._add(_CHANGED, "", 1, msg_id)
        for kind in correction.kinds:
            self._add(_KIND, kind, 1, msg_id)

    def add_rows(self, rows: Iterable[CountRow]) -> None:
        """Add the counts of others."""
        for row in rows:
            self._add(*row)

    def iterate_rows(self) -> Iterator[CountRow]:
        """Yield the counts, for `add_rows` of others."""
        for (what, name), count in self._counts.items():
            yield what, name, count, self._examples[what, name]

    def as_report(self) -> ChangesReport:
        """Return the counts, the most frequent kinds first."""
        kinds = [(name, count) for (what, name), count in self._counts.items() if what == _KIND]
        kinds.sort(key=lambda kind: (-kind[1], kind[0]))
        return {
            "looked_at": self.looked_at,
            "changed": self._counts[_CHANGED, ""],
            "refused": {name: count for (what, name), count in self._counts.items() if what == _REFUSED},
            "kinds": [
                {"place": name, "messages": count, "example": self._examples[_KIND, name]}
                for name, count in kinds[:_MAX_KINDS]
            ],
            "hidden": len(kinds[_MAX_KINDS:]),
        }

    def _add(self, what: str, name: str, count: int, example: int) -> None:
        key = (what, name)
        if key not in self._counts and len(self._counts) >= _MAX_COUNTED:
            return
        self._counts[key] += count
        self._examples[key] = min(example, self._examples.get(key, example))
