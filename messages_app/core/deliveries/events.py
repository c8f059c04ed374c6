"""The declaration of an event whose report is sent to webhooks as JSON."""

from typing import NamedTuple


class SentEvent(NamedTuple):
    """
    An event.

    Args:
        name: in the reference of the manual, and in bodies that have an `event`.
        when: a sentence about when it is sent.
        narrowed_by: the settings of a webhook that leave out some of them, in Markdown; empty: none.
    """

    name: str
    when: str
    narrowed_by: str = ""
