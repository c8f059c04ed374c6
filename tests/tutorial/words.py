"""Words of the tutorial as patterns: "…" is a part that varies, of up to one line."""

import re
from collections.abc import Sequence

# The longest part that varies, such as the name of a message or a time.
_MAX_VARIED = 80


def pattern_of(words: str) -> str:
    """Return the regular expression of words, in which any white space is one space."""
    return rf".{{1,{_MAX_VARIED}}}?".join(re.escape(part) for part in " ".join(words.split()).split("…"))


def is_shown(words: str, lines: Sequence[str]) -> bool:
    """Whether one of the lines has the words, which do not begin or end within another word."""
    pattern = re.compile(rf"(?<!\w){pattern_of(words)}(?!\w)")
    return any(pattern.search(line) for line in lines)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text, in which any white space is one space."""
    return [" ".join(line.split()) for line in text.splitlines()]
