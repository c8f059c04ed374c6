"""Suggests keys for an operation: fields of its newest payloads whose values look like customers' numbers."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from messages_app.business_keys.leaves import Leaf, list_leaves
from messages_app.business_keys.models import MAX_NAME
from messages_app.business_keys.preview import newest_payloads
from messages_app.shared.key_extraction import compile_path, is_json_path
from messages_app.shared.xml_parsing import Unreadable
from messages_app.shared.xml_paths import BadPath

MAX_SUGGESTIONS = 12
# More values of one field in a message are a list, and not the number of its business.
_MAX_VALUES = 3
# A value that a customer could name: letters and digits without blanks, with at least one digit. A decimal
# number is an amount, a text that begins like a date is a time, and no one reads out a UUID.
_NUMBER = re.compile(r"(?=.*\d)[\w./-]{3,40}", re.ASCII)
_OTHERS = re.compile(
    r"[+-]?\d+[.,]\d+|\d{4}-\d\d-\d\d.*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", re.ASCII)
# Words at the end of a field's name that say that it is a number, and not of what.
_KINDS = frozenset({"id", "no", "nr", "num", "number", "key", "ref", "identifier"})


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """
    A field that may be a key.

    Attributes:
        name: a name for the key, from that of the field.
        example: a value; None: the user may not see it.
        messages: the number of messages with a value, of `total`.
        different: the number of different values.
    """

    path: str
    name: str
    example: str | None
    messages: int
    total: int
    different: int


@dataclass
class _Field:
    names: tuple[str, ...]
    values: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def texts(self) -> list[str]:
        return [text for values in self.values.values() for text in values]


def suggest_keys(*, service_name: str, operation_name: str, may_view_payload: bool) -> list[Suggestion]:
    """Return fields of the newest messages of an operation, the likeliest keys first."""
    payloads = newest_payloads(service_name=service_name, operation_name=operation_name)
    fields: dict[str, _Field] = {}
    for msg_id, payload in payloads:
        for leaf in _read_leaves(payload):
            fields.setdefault(leaf.path, _Field(leaf.names)).values[msg_id].append(leaf.value)
    likely = [(path, each) for path, each in fields.items() if _may_be_key(each)]
    likely.sort(key=lambda one: _rank_field(*one))
    steps = Counter(path.rpartition("/")[2] for path in fields)
    suggestions = [
        Suggestion(
            path=_shorten_path(path, steps),
            name=_name_of(each.names),
            example=each.texts[0] if may_view_payload else None,
            messages=len(each.values),
            total=len(payloads),
            different=len(set(each.texts)),
        )
        for path, each in likely
    ]
    return [each for each in suggestions if _is_supported(each.path)][:MAX_SUGGESTIONS]


def _read_leaves(payload: str | None) -> Sequence[Leaf]:
    try:
        return list_leaves(payload)
    except Unreadable:
        return []


def _may_be_key(each: _Field) -> bool:
    """Whether all values look like numbers, and a message has few of them."""
    if any(len(set(values)) > _MAX_VALUES for values in each.values.values()):
        return False
    return all(_NUMBER.fullmatch(text) and not _OTHERS.fullmatch(text) for text in each.texts)


def _rank_field(path: str, each: _Field) -> tuple[object, ...]:
    """Order fields: those named like an id, then those whose values differ most between messages."""
    return not _is_named_as_number(each.names), -len(set(each.texts)), -len(each.values), len(path), path


def _is_named_as_number(names: Sequence[str]) -> bool:
    words = _words_of(names[-1])
    return bool(words) and words[-1] in _KINDS


def _name_of(names: Sequence[str]) -> str:
    """Return a name in words: order for orderId, and for an id in an order."""
    for name in reversed(names):
        words = _words_of(name)
        while words and words[-1] in _KINDS:
            words.pop()
        if words:
            return " ".join(words)[:MAX_NAME]
    return " ".join(_words_of(names[-1]))[:MAX_NAME] or "key"


def _words_of(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _shorten_path(path: str, steps: Counter[str]) -> str:
    """Return a shorter path for a field whose last step is the only one of its name."""
    step = path.rpartition("/")[2]
    return path if is_json_path(path) or steps[step] > 1 else f"//{step}"


def _is_supported(path: str) -> bool:
    try:
        compile_path(path)
    except BadPath:
        return False
    return True
