"""
The meaning of keys in JSON, XML and key=value: of a code, a sentence, the name of a field, or of nothing.

A key is known by its last word, if the words before it are about errors: errorCode and fault-type, but not
countryCode. Source: docs/reference/failure_groups.md, "Bodies of answers".
"""

import re
from enum import Enum
from functools import lru_cache

from messages_app.shared.error_words import (
    CODE_HEADS,
    CODE_KEYS,
    FIELD_HEADS,
    FIELD_KEYS,
    FIELD_RESTS,
    KEY_RESTS,
    TEXT_HEADS,
    TEXT_KEYS,
)

_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")


class Says(Enum):
    """The kinds of values."""

    CODE = "code"
    TEXT = "text"
    FIELD = "field"
    NOTHING = "nothing"


@lru_cache(5_000)
def read_key(key: str) -> Says:
    """Return what the values of a key say."""
    lower = key.lower()
    for says, keys in ((Says.FIELD, FIELD_KEYS), (Says.CODE, CODE_KEYS), (Says.TEXT, TEXT_KEYS)):
        if lower in keys:
            return says
    *rest, head = [part.lower() for part in _HUMPS.split(key) if part] or [""]
    if not rest:
        return Says.NOTHING
    if head in FIELD_HEADS and FIELD_RESTS.issuperset(rest):
        return Says.FIELD
    if not KEY_RESTS.issuperset(rest):
        return Says.NOTHING
    return Says.CODE if head in CODE_HEADS else Says.TEXT if head in TEXT_HEADS else Says.NOTHING
