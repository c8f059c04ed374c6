"""
The values of business keys that name a subject.

The values of erased messages go with these messages (rows.py). Other values that are the subject's key are
deleted here; the messages that they are from stay, because none of their columns names the subject. Their
payloads still have the value, so its digest is kept: no later pass or job stores it again.
"""

from collections.abc import Collection, Sequence

from messages_app.audit.digests import subject_digest
from messages_app.core.statements import Statements
from messages_app.erasure.rows import Values, hold_key_writers, ids_of, valid_numbers
from messages_app.erasure.run import Erasure
from messages_app.shared.key_extraction import trim_value

statements = Statements("messages_app.erasure")


def erase_subject(erasure: Erasure) -> None:
    """Delete the values that are the key, of all definitions, and keep them out."""
    value = trim_value(erasure.key.value)

    def delete_values() -> None:
        with erasure.step() as erased:
            hold_key_writers()
            erased.note_stored("business_key_erased", keep_values_out([subject_digest(value)]))
            ids = ids_of("delete_key_values", {"key": value})
            # In a dry run, the values of erased messages are still there.
            erased.add("business_key", [msg_id for msg_id in ids if msg_id not in erasure.without_keys])

    if not erasure.attempt_step(delete_values):
        erasure.leave("business_key", "values", "they are locked: run this again")


def keep_values_out(digests: Collection[str]) -> list[str]:
    """Store the digests of erased values, and return the new ones."""
    return ids_of("keep_values_out", {"digests": list(digests)})


def _read_values(rows: Sequence[object]) -> Values:
    return [row[0] for row in statements.fetch_rows("values_of_keys", {"ids": valid_numbers(rows)})]


READERS = {"business_key": _read_values}
