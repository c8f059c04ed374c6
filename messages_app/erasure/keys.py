"""The key of a subject: as it was given, and as each place writes it."""

import json
import re
from dataclasses import dataclass, field
from functools import cached_property

from messages_app.audit.seals import subject_digest
from messages_app.cp_queue.states import MAX_INT
from messages_app.message_store.models import MAX_KEY
from messages_app.message_store.processing.records import key_text

# What is in its place where a text stays.
ERASED = "[erased]"
# A shorter one would be met in people's texts where it means something else.
_SHORTEST_WORD = 4


class BadKey(Exception):
    """The text can be no key; the message says why, without the text."""


@dataclass(frozen=True)
class Key:
    """A key; its value is in no representation of it."""

    value: str = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """What names it where the value must not be."""
        return subject_digest(self.value)

    @property
    def number(self) -> int | None:
        """The same as an object id of the CP queue; None where it is not one."""
        is_number = re.fullmatch("0|[1-9][0-9]{0,9}", self.value) is not None
        return int(self.value) if is_number and int(self.value) <= MAX_INT else None

    @property
    def record_keys(self) -> list[str]:
        """The same as keys of records: of one field, or as it was given."""
        made = [key_text([self.value]), None if self.number is None else key_text([self.number])]
        return [self.value, *filter(None, made)]

    @property
    def in_json(self) -> str:
        """The same as PostgreSQL writes it within a JSON text."""
        return json.dumps(self.value, ensure_ascii=False)[1:-1]

    def without(self, value: object) -> object:
        """Return a value of JSON with ERASED where the key stood: as a value, or as a word of a text."""
        if isinstance(value, dict):
            return {self.without(name): self.without(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.without(each) for each in value]
        if isinstance(value, str):
            return ERASED if value == self.value else self._word.sub(ERASED, value)
        is_it = not isinstance(value, bool) and self.number is not None and value == self.number
        return ERASED if is_it else value

    @cached_property
    def _word(self) -> re.Pattern[str]:
        if len(self.value) < _SHORTEST_WORD:
            return re.compile(r"(?!)")
        return re.compile(rf"(?<!\w){re.escape(self.value)}(?!\w)")


def read_key(text: str) -> Key:
    """
    Return the key that a text is: exactly that, nothing is trimmed or folded.

    Raises:
        BadKey: it is empty, too long, or no text that the database can hold.
    """
    if not text.strip():
        raise BadKey("The key is empty.")
    if len(text) > MAX_KEY:
        raise BadKey(f"The key has {len(text)} characters; the maximum is {MAX_KEY}.")
    if "\0" in text:
        raise BadKey("The key must not contain NUL.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadKey("The key is not UTF-8.") from None
    return Key(text)
