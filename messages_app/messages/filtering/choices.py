"""Filters of messages that have few values, and what each value means."""

from messages_app.web.filters.table import Filter
from messages_app.web.filters.values import parse_choice

# archived=any: the live table and the archive as one list.
ANYWHERE = "any"
PLACES = ("true", "false", ANYWHERE)

# family=roots: messages that name no parent.
# family=failed: messages that others, of the same table, name as their parent, where at least one of those is
# in one of FAILURE_STATES. One level: a grandchild's failure shows its own parent.
FAMILY_ROOTS, FAMILY_FAILED = "roots", "failed"
FAMILIES = (FAMILY_ROOTS, FAMILY_FAILED)


def parse_place(text: str, one: Filter) -> bool | str:
    """Return True for the archive, False for the live table, ANYWHERE for both."""
    place = parse_choice(text, one)
    return ANYWHERE if place == ANYWHERE else place == "true"
