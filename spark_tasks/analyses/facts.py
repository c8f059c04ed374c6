"""
Facts about the leaves of a text: keys to count messages by.

A fact has one of three forms: `number` (the message has the field), `(number, value)` (one of its values is
this one), `(number, length)` (its longest value has this length).

Source: docs/contributing/decisions/0041-analyses.md, "Facts".
"""

from collections.abc import Sequence

# The number of a field, alone or with a value or a length.
Fact = int | tuple[int, str] | tuple[int, int]
# The number of a field and a value without blanks around it.
Leaf = tuple[int, str]

MAX_VALUE_CHARS = 80
# Of one text. A catalogue with more is counted by its first ones.
MAX_LEAVES = 2_000

# Lengths above this are counted in steps of a sixteenth of a power of two.
MAX_EXACT_LENGTH = 256
_STEP_BITS = 5
# Of a text in characters; PostgreSQL stores none of a gigabyte.
MAX_LENGTH = 1 << 30


class Unreadable(Exception):
    """A text is not XML or JSON that can be read safely. The message is the value of its field FORMAT."""


def cut_value(value: str) -> str:
    return value if len(value) <= MAX_VALUE_CHARS else f"{value[:MAX_VALUE_CHARS]}…"


def round_length(length: int) -> int:
    """Return the smallest of the lengths that are counted together with this one."""
    if length <= MAX_EXACT_LENGTH:
        return length
    step = 1 << (length.bit_length() - _STEP_BITS)
    return min(length - length % step, MAX_LENGTH)


def list_lengths() -> list[int]:
    """Return all lengths that are counted."""
    lengths = list(range(MAX_EXACT_LENGTH + 1))
    while lengths[-1] < MAX_LENGTH:
        lengths.append(lengths[-1] + (1 << (lengths[-1].bit_length() - _STEP_BITS)))
    return lengths


def add_leaves(facts: set[Fact], leaves: Sequence[Leaf]) -> None:
    """Add the facts of the leaves of one text. Long values are cut: those with one beginning are equal."""
    lengths: dict[int, int] = {}
    distinct = set(leaves)
    for number, value in distinct:
        length = len(value)
        if length > MAX_VALUE_CHARS:
            length = round_length(length)
        if lengths.get(number, -1) < length:
            lengths[number] = length
    facts.update(lengths)
    facts.update(lengths.items())
    if any(length > MAX_VALUE_CHARS for length in lengths.values()):
        facts.update((number, cut_value(value)) for number, value in distinct)
    else:
        facts.update(distinct)
