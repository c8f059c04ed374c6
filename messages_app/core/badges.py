"""A value as a badge: its word, icon and colour."""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """The colours of static/css/tokens.css, each named by a state that has it."""

    GOOD = "done"
    BAD = "failed"
    DOUBTFUL = "paused"
    ACTIVE = "running"
    WAITING = "planned"
    INACTIVE = "stopped"
    NONE = ""


@dataclass(frozen=True)
class Badge:
    """
    One value as a badge.

    Args:
        tone: the colour of tokens.css, by `data-state`.
        title: the meaning, in a sentence.
    """

    tone: str
    icon: str
    text: str
    title: str
