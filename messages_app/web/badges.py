"""One of few values as a badge: a word with a colour and an icon."""

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
