"""
The valid values and the default of each setting, noted by the function that reads it. The manual is generated
from these notes.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Reading(NamedTuple):
    """
    Markdown about one setting.

    Args:
        values: the valid values, in words.
        default: the value if the variable is not set; may be empty.
    """

    values: str
    default: str


READINGS: dict[str, Reading] = {}


def note_reading(name: str, values: str, default: object = "") -> None:
    """Note how a setting is read. The first note stays: that of the settings, before those of tests."""
    words = [word for word in str(default).split(",") if word]
    READINGS.setdefault(name, Reading(values, write_choices(words)))


def write_choices(choices: Iterable[str]) -> str:
    return ", ".join(f"`{choice}`" for choice in choices)
