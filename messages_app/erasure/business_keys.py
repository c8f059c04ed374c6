"""
The values of business keys that name a subject.

The values of erased messages go with these messages (rows.py). Other values that are the subject's key are
deleted here; the messages that they are from stay, because none of their columns names the subject.
"""

from collections.abc import Sequence

from messages_app.core.statements import Statements
from messages_app.erasure.rows import Values, hold_key_writers, valid_numbers
from messages_app.erasure.run import Erasure

statements = Statements("messages_app.erasure")


def erase_subject(erasure: Erasure) -> None:
    """Delete the values that are the key, of all definitions."""

    def delete_values() -> None:
        with erasure.step() as erased:
            hold_key_writers()
            ids = [row[0] for row in statements.fetch_rows("delete_key_values", {"key": erasure.key.value})]
            erased.add("business_key", ids)

    if not erasure.attempt_step(delete_values):
        erasure.leave("business_key", "values", "they are locked: run this again")


def _read_values(rows: Sequence[object]) -> Values:
    return [row[0] for row in statements.fetch_rows("values_of_keys", {"ids": valid_numbers(rows)})]


READERS = {"business_key": _read_values}
