"""The filter form of the message list: its fields, and the links that change one part of the filter."""

from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.messages.filters.message_filter import (
    ANYWHERE,
    ARCHIVED,
    FAILURE_GROUP,
    FAMILY,
    FILTERS,
    STATE,
)
from messages_app.messages.filters.vocabulary import LABELS
from messages_app.shared.message_states import STATE_MEANINGS, MessageState

_PLACES = (("Live", None), ("Archive", "true"), ("Both", ANYWHERE))


_FAMILIES = (("All messages", None), ("Roots only", "roots"), ("Families with a failure", "failed"))


# The most used filters. The other fields follow in the order of the filters.
_FIRST_FIELDS = (
    "service_name",
    "operation_name",
    "source_system",
    "failed_error_code",
    FAILURE_GROUP,
    "receive_timestamp_from",
    "receive_timestamp_to",
)


_LINKED = (STATE, FAMILY, ARCHIVED)


class FilterForm(ListForm):
    """The form for one address of the message list."""

    filters = FILTERS
    labels = LABELS
    field_names = tuple(dict.fromkeys((*_FIRST_FIELDS, *(name for name in FILTERS if name not in _LINKED))))
    linked_names = _LINKED

    @property
    def states(self) -> list[Link]:
        """One link per state, which adds it to the filter or removes it."""
        return self.make_toggles(STATE, [(state, STATE_MEANINGS[state]) for state in MessageState])

    @property
    def received(self) -> list[Link]:
        """Ranges of receipt that end now, and all time."""
        return self.recent_ranges("receive_timestamp")

    @property
    def places(self) -> list[Link]:
        return self.one_of(ARCHIVED, _PLACES)

    @property
    def families(self) -> list[Link]:
        return self.one_of(FAMILY, _FAMILIES)

    @property
    def in_archive(self) -> str:
        return self.query_with(archived="true")
