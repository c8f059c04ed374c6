"""Names of users in a text: @ada. A name of no user is text."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

# The characters of a name, as Django allows them. No name begins inside a word, such as an email address.
_NAME = re.compile(r"(?<![\w.@+-])@([\w.@+-]{1,150})")
MAX_MENTIONS = 50


@dataclass(frozen=True, kw_only=True)
class Mention:
    """
    A name after an @.

    Args:
        start: the place of the @.
        spellings: the name as it is, and without punctuation after it.
    """

    start: int
    spellings: tuple[str, ...]


def mentions_in(text: str) -> Iterator[Mention]:
    """Yield the first names in a text that may be those of users."""
    for count, match in enumerate(_NAME.finditer(text)):
        if count == MAX_MENTIONS:
            return
        spellings = dict.fromkeys((match[1], match[1].rstrip(".@+-")))
        yield Mention(start=match.start(), spellings=tuple(name for name in spellings if name))


def find_name(mention: Mention, names: Collection[str]) -> tuple[str, str]:
    """
    Return the spelling of a mention and the name that it means, or two empty texts.

    A name in other upper and lower case is meant if it is the only one.
    """
    for spelling in mention.spellings:
        if spelling in names:
            return spelling, spelling
    for spelling in mention.spellings:
        similar = [name for name in names if name.lower() == spelling.lower()]
        if len(similar) == 1:
            return spelling, similar[0]
    return "", ""


def split_at_names(text: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the parts of a text, as (words, name after them or "")."""
    end = 0
    for mention in mentions_in(text):
        spelling, name = find_name(mention, names)
        if name:
            yield text[end : mention.start], name
            end = mention.start + 1 + len(spelling)
    yield text[end:], ""


def unknown_names(text: str, names: Collection[str]) -> list[str]:
    """Return the names after an @ in a text that mean none of the names, each once."""
    unknown = [
        mention.spellings[-1]
        for mention in mentions_in(text)
        if mention.spellings and not find_name(mention, names)[1]
    ]
    return list(dict.fromkeys(unknown))
