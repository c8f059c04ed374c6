"""
Values that were erased with a subject: none of them may become a business key again.

The database has only digests of them, whose keys are in the environment, so it does not name the subject.
Imports no Django code, because executors use it.

Source: docs/contributing/decisions/0017-subject-erasure.md, "Decision".
"""

import hmac
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any

from messages_app.shared.sql_files import SqlFiles

statements = SqlFiles("messages_app.shared")


def digest_value(own_key: bytes, value: str) -> str:
    """Return 64 hexadecimal digits that name a value where it must not appear."""
    return hmac.new(own_key, value.encode(), sha256).hexdigest()


def find_erased(cursor: Any, values: Collection[str], *, own_keys: Sequence[bytes]) -> frozenset[str]:
    """
    Return the values that were erased.

    The caller holds erasing out (hold_keys.sql), so that no value is erased before its transaction ends.

    Args:
        cursor: of Django or of psycopg.
        own_keys: the present key of digests and the previous ones.
    """
    if not values:
        return frozenset()
    by_digest = {digest_value(own_key, value): value for value in values for own_key in own_keys}
    cursor.execute(statements.read_text("erased_values"), {"digests": list(by_digest)})
    return frozenset(by_digest[row[0]] for row in cursor.fetchall())
