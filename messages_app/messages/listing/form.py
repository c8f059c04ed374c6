"""The filter form of the message list: its fields, and the links that change one part of the filter."""

from messages_app.messages.filtering.choices import ANYWHERE
from messages_app.messages.filtering.filters import (
    ARCHIVED,
    CONTENT,
    FAILURE_GROUP,
    FAMILY,
    FILTERS,
    MSG_ID,
    STATE,
)
from messages_app.messages.query_line.vocabulary import LABELS
from messages_app.messages.states import STATE_MEANINGS, MessageState
from messages_app.web.lists.form import Link, ListForm

_PLACES = (("Live", None), ("Archive", "true"), ("Both", ANYWHERE))
_FAMILIES = (("All messages", None), ("Roots only", "roots"), ("Families with a failure", "failed"))


class FilterForm(ListForm):
    """The form for one address of the message list."""

    filters = FILTERS
    labels = LABELS
    field_names = (
        "service_name",
        "operation_name",
        "source_system",
        "failed_error_code",
        FAILURE_GROUP,
        "receive_timestamp_from",
        "receive_timestamp_to",
        "correlation_id",
        "process_id",
        "object_id",
        "entity_type",
        "funnel_value",
        "funnel_component_id",
        MSG_ID,
        "parent_msg_id",
        "msg_timestamp_from",
        "msg_timestamp_to",
        "last_process_timestamp_from",
        "last_process_timestamp_to",
        CONTENT,
    )
    linked_names = (STATE, FAMILY, ARCHIVED)

    @property
    def states(self) -> list[Link]:
        """One link a state, which puts it into the filter or takes it out."""
        return self.toggles(STATE, [(state, STATE_MEANINGS[state]) for state in MessageState])

    @property
    def received(self) -> list[Link]:
        """Ranges of receipt that end now, and all time."""
        return self.recent("receive_timestamp")

    @property
    def places(self) -> list[Link]:
        return self.one_of(ARCHIVED, _PLACES)

    @property
    def families(self) -> list[Link]:
        return self.one_of(FAMILY, _FAMILIES)

    @property
    def in_archive(self) -> str:
        return self.query(archived="true")
