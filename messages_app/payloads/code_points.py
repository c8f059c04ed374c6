"""
Names the characters of a text that cannot be seen, or that look like others, by their code points.

Two texts may look the same and differ: in white space, in characters without a width, in the composition of
a letter (U+00EB, or U+0065 with U+0308), or in letters of two alphabets (U+0050 and U+0420).
"""

import re
import unicodedata
from collections import Counter

from messages_app.shared.visible_text import INVISIBLE

# Unicode has no names for control characters; these are their aliases.
_CONTROLS = {
    "\0": "NULL",
    "\t": "CHARACTER TABULATION",
    "\n": "LINE FEED",
    "\x0b": "LINE TABULATION",
    "\f": "FORM FEED",
    "\r": "CARRIAGE RETURN",
    "\x1c": "INFORMATION SEPARATOR FOUR",
    "\x1d": "INFORMATION SEPARATOR THREE",
    "\x1e": "INFORMATION SEPARATOR TWO",
    "\x1f": "INFORMATION SEPARATOR ONE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
    "\ufeff": "BYTE ORDER MARK",
}
# A difference with more characters than these is long enough to be seen, apart from its unseen ones.
_MAX_NAMED = 8
_ALPHABETS_LIKE_LATIN = frozenset({"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "FULLWIDTH", "MATHEMATICAL"})
# Categories that say nothing about the look of a character, or that it has none.
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zl", "Zp", "Zs"})


def name_of(char: str) -> str:
    """Return the code point and the name of a character: U+00A0 NO-BREAK SPACE."""
    name = _CONTROLS.get(char) or unicodedata.name(char, "")
    return f"U+{ord(char):04X} {name}".rstrip()


def names_of(text: str) -> str:
    """Return the names of the characters of a text, with repeated ones as one; only the first few."""
    runs = [match.group() for match in re.finditer(r"(.)\1*", text, re.DOTALL)]
    named = [f"{name_of(run[0])}{f' ×{len(run)}' if len(run) > 1 else ''}" for run in runs[:_MAX_NAMED]]
    return ", ".join([*named, *(["…"] if len(runs) > _MAX_NAMED else [])])


def describe_unseen(left: str, right: str) -> tuple[str, str]:
    """
    Return the code points of two texts that differ, if the difference cannot be seen; otherwise empty texts.

    Args:
        left, right: the parts of two lines that differ, without what they have in common.
    """
    if not _is_hard_to_see(left, right):
        return "", ""
    if max(len(left), len(right)) <= _MAX_NAMED:
        return names_of(left) or "nothing", names_of(right) or "nothing"
    return _unseen_names(left), _unseen_names(right)


def _unseen_names(text: str) -> str:
    return names_of("".join(dict.fromkeys(filter(_is_unseen, text)))) or "only visible characters"


def _is_hard_to_see(left: str, right: str) -> bool:
    if not (left + right).strip(" "):
        return True
    if Counter(filter(_is_unseen, left)) != Counter(filter(_is_unseen, right)):
        return True
    if unicodedata.normalize("NFKC", left) == unicodedata.normalize("NFKC", right):
        return True
    return len(left) == len(right) and _has_look_alike(left) != _has_look_alike(right)


def _is_unseen(char: str) -> bool:
    """Whether a character other than the space cannot be seen."""
    return char != " " and (
        unicodedata.category(char) in _UNSEEN_CATEGORIES or INVISIBLE.match(char) is not None
    )


def _has_look_alike(text: str) -> bool:
    return any(not char.isascii() and _script_of(char) in _ALPHABETS_LIKE_LATIN for char in text)


def _script_of(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]
