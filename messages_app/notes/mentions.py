"""Names of users in a text: @ada. A name of no user is text."""

import re
from collections.abc import Collection, Iterator

# The characters of a name, as Django allows them. No name begins inside a word, such as an email address.
_NAME = re.compile(r"(?<![\w.@+-])@([\w.@+-]{1,150})")
MAX_MENTIONS = 50


def names_in(text: str) -> set[str]:
    """Return the names that a text may mention: each as it is, and without punctuation after it."""
    names: set[str] = set()
    for match in _NAME.finditer(text):
        names |= {match[1], _strip_end(match[1])}
        if len(names) >= 2 * MAX_MENTIONS:
            break
    return names - {""}


def split_at_names(text: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text, as (words, name after them or "")."""
    end = 0
    for match in _NAME.finditer(text):
        name = next((one for one in (match[1], _strip_end(match[1])) if one in names), "")
        if name:
            yield text[end : match.start()], name
            end = match.start(1) + len(name)
    yield text[end:], ""


def _strip_end(name: str) -> str:
    return name.rstrip(".@+-")
