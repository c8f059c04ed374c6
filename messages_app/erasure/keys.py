"""The key of a subject: as it was given, and as each table writes it."""

import json
import re
from dataclasses import dataclass, field
from functools import cached_property

from messages_app.audit.digests import subject_digest
from messages_app.cp_queue.states import MAX_INT
from messages_app.message_store.models import MAX_KEY
from messages_app.message_store.services.records import key_text
from messages_app.shared.visible_text import is_blank

# Replaces the key in texts that stay.
ERASED = "[erased]"
# A shorter key may be part of texts where it means something else.
_MIN_WORD = 4


class BadKey(Exception):
    """The text is not a valid key; the message says why, without the text."""


@dataclass(frozen=True)
class Key:
    """A key. Its repr does not contain the value."""

    value: str = field(repr=False)

    @cached_property
    def digest(self) -> str:
        """The name of the subject where the value must not be used."""
        return subject_digest(self.value)

    @property
    def number(self) -> int | None:
        """The key as an object id of the CP queue; None if it is not one."""
        is_number = re.fullmatch("0|[1-9][0-9]{0,9}", self.value) is not None
        return int(self.value) if is_number and int(self.value) <= MAX_INT else None

    @property
    def record_keys(self) -> list[str]:
        """The key as keys of records: of one field, or as it was given."""
        made = [key_text([self.value]), None if self.number is None else key_text([self.number])]
        return [self.value, *filter(None, made)]

    @property
    def in_json(self) -> str:
        """The key as PostgreSQL writes it within a JSON text."""
        return json.dumps(self.value, ensure_ascii=False)[1:-1]

    def remove_from(self, value: object) -> object:
        """Return a JSON value with ERASED instead of the key, as a value or as a word of a text."""
        if isinstance(value, dict):
            return {self.remove_from(name): self.remove_from(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.remove_from(each) for each in value]
        if isinstance(value, str):
            return ERASED if value == self.value else self._word_pattern.sub(ERASED, value)
        is_it = not isinstance(value, bool) and self.number is not None and value == self.number
        return ERASED if is_it else value

    @cached_property
    def _word_pattern(self) -> re.Pattern[str]:
        if len(self.value) < _MIN_WORD:
            return re.compile(r"(?!)")
        return re.compile(rf"(?<!\w){re.escape(self.value)}(?!\w)")


def read_key(text: str) -> Key:
    """
    Return the key of a text, exactly as it is: nothing is trimmed or folded.

    Raises:
        BadKey: it is empty, too long, or not a text that the database can store.
    """
    if is_blank(text):
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
