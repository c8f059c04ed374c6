"""A value as a badge: its word, icon and colour."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Badge:
    """
    One value as a badge.

    Args:
        tone: which of the colours of tokens.css, by `data-state`.
        title: what it means, in a sentence.
    """

    tone: str
    icon: str
    text: str
    title: str
