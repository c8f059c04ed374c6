"""Invisible characters, and the check for texts of only these."""

import re

# Control characters, soft hyphens, no-break and other blanks, fillers, joiners, direction marks, unusual line
# ends, the byte order mark, and tag characters. A run of the same character is one match.
INVISIBLE = re.compile(
    "([\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff])\\1*+"
)
# With variation selectors, which change the look of the character before them.
_UNSEEN = re.compile(f"{INVISIBLE.pattern}|[\\s\ufe00-\ufe0f]")


def is_blank(text: str) -> bool:
    """Whether a text has only invisible characters and blanks, or is empty."""
    return not _UNSEEN.sub("", text)
