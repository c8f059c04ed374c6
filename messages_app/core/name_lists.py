"""
Lists of names in one field of a form: `customer, "Acme, Inc", " lead"`.

Blanks around a name are not part of it. A name with a comma or a quote, or with blanks at its ends, is in
quotes, with its own quotes doubled, as in CSV.
"""

import re
from collections.abc import Iterable

_NAME = re.compile(r'\s*+(?:"((?:[^"]|"")*+)"\s*+(?:,|\Z)|([^,]*+)(?:,|\Z))')


def split_names(text: str) -> list[str]:
    """Return the names, without empty ones outside of quotes."""
    matches = (match.groups() for match in _NAME.finditer(text))
    names = (bare.strip() if quoted is None else quoted.replace('""', '"') for quoted, bare in matches)
    return [name for name in names if name]


def join_names(names: Iterable[str]) -> str:
    """Return the text of which `split_names` makes the names again."""
    return ", ".join(map(_quote_name, names))


def _quote_name(name: str) -> str:
    is_plain = name == name.strip() and not any(char in name for char in ',"\r\n')
    return name if is_plain else '"{}"'.format(name.replace('"', '""'))
