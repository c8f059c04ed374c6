"""The keys of records: as the store keeps them, and as people write them."""

import json
import re
from collections.abc import Sequence


def stored_key(values: Sequence[str | int]) -> str:
    """Return a key as records and references have it: a JSON array of its values."""
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))


def plain_key(record_key: str) -> str:
    """Return a stored key as people write it, several values with slashes; what is no key as it is."""
    values = _values(record_key)
    return record_key if values is None else " / ".join(map(str, values))


def keys_meant(text: str) -> list[str]:
    """Return the stored keys that a text may mean: a value alone, or a key as it is stored."""
    if (values := _values(text)) is not None:
        return [stored_key(values)]
    meant = [stored_key([text])]
    if re.fullmatch("0|-?[1-9][0-9]*", text):
        meant.append(f"[{text}]")
    return meant


def written_key(record_key: str) -> str:
    """Return the shortest text that means a stored key to `keys_meant`."""
    values = _values(record_key)
    if values is None or len(values) != 1:
        return record_key
    text = str(values[0])
    return text if record_key in keys_meant(text) else record_key


def _values(text: str) -> list[str | int] | None:
    """Return the values of a stored key; None where the text is none."""
    try:
        found = json.loads(text) if text.startswith("[") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not found:
        return None
    return found if all(isinstance(one, str | int) and not isinstance(one, bool) for one in found) else None
