"""Ids of rows as addresses and forms name them: plain digits that a bigint can hold, and nothing else."""

import re

MAX_ID = 2**63 - 1
_DIGITS = re.compile(r"[0-9]{1,19}")


def read_id(text: str) -> int | None:
    """Return the id that a text is, None where it is none: "1_0" and Arabic digits are not."""
    return int(text) if _DIGITS.fullmatch(text) and int(text) <= MAX_ID else None
