"""What is the same in two texts of one error: everything but the numbers, ids and names in them."""

import re

# The longer shapes first: a uuid holds numbers. Each stands in the text as its word.
_SHAPES = (
    (r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b", "<time>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<address>"),
    # A quote within a word is an apostrophe.
    (r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|„[^“”\n]*[“”]|“[^”\n]*”", "<text>"),
    (r"@[0-9a-f]{4,16}\b|\b0x[0-9a-f]+\b", "<id>"),
    # A word with a digit in it is an id, but for an error code, which stands beside a colon.
    (r"\b(?=[\w-]*\d)(?![A-Z]\d{1,4}:)(?=[\w-]*[A-Za-z_])\w+(?:-\w+)*\b", "<id>"),
    (r"(?<![\w.])[+-]?\d+(?:[.,:]\d+)*(?!\w)", "<n>"),
)
_ANY = re.compile("|".join(f"({shape})" for shape, _ in _SHAPES), re.IGNORECASE)
_WORDS = tuple(word for _, word in _SHAPES)
# So much of an error's text is looked at: its first line, of which the beginning tells enough. A longer one
# would cost seconds, where it has thousands of words joined by hyphens.
CHARACTERS = 500


def normalised(text: str | None) -> str:
    """
    Return the first line of an error text's beginning with what differs from case to case replaced by words.

    uuids, times, network addresses, quoted strings, ids and numbers become <uuid>, <time>, <address>, <text>,
    <id> and <n>; runs of spaces become one. The error code at its beginning stays. Doing it again changes
    nothing.
    """
    first_line = (text or "")[:CHARACTERS].lstrip().partition("\n")[0]
    replaced = _ANY.sub(lambda match: _WORDS[match.lastindex - 1], first_line)
    return " ".join(replaced.split())
