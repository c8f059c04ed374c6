"""The words of the message list's query line."""

from messages_app.messages.filtering.choices import ANYWHERE, FAMILIES
from messages_app.messages.filtering.filters import (
    ARCHIVED,
    CONTENT,
    FAILURE_GROUP,
    FAMILY,
    FILTERS,
    MSG_ID,
    STATE,
)
from messages_app.messages.query_line.values import known
from messages_app.messages.states import MessageState
from messages_app.web.query_line.vocabulary import TimeWords, Vocabulary

VOCABULARY = Vocabulary(
    filters=FILTERS,
    names={
        MSG_ID: "Message id",
        STATE: "State",
        "source_system": "Source system",
        "service_name": "Service",
        "operation_name": "Operation",
        "correlation_id": "Correlation id",
        "process_id": "Process id",
        "object_id": "Object id",
        "entity_type": "Entity type",
        "funnel_value": "Funnel value",
        "funnel_component_id": "Funnel component id",
        "failed_error_code": "Error code",
        "parent_msg_id": "Children of message id",
        FAILURE_GROUP: "Failure group",
        CONTENT: "Payload contains",
        FAMILY: "Family",
        ARCHIVED: "In the archive",
    },
    times={
        "msg_timestamp": TimeWords(key="sent", label="Sent"),
        "receive_timestamp": TimeWords(key="received", label="Received"),
        "last_process_timestamp": TimeWords(key="processed", label="Last processed"),
    },
    keys={
        MSG_ID: "id",
        "source_system": "source",
        "service_name": "service",
        "operation_name": "operation",
        "correlation_id": "correlation",
        "process_id": "process",
        "object_id": "object",
        "entity_type": "entity",
        "funnel_value": "funnel",
        "funnel_component_id": "component",
        "failed_error_code": "error",
        "parent_msg_id": "parent",
        FAILURE_GROUP: "group",
        CONTENT: "payload",
    },
    state=STATE,
    choices={STATE: tuple(MessageState), FAMILY: FAMILIES, ARCHIVED: ("true", ANYWHERE)},
    said={
        (ARCHIVED, "true"): "In the archive",
        (ARCHIVED, "false"): "Live",
        (ARCHIVED, ANYWHERE): "Live and in the archive",
        (FAMILY, "roots"): "Roots only",
        (FAMILY, "failed"): "Parents of a failed message",
    },
    hints={
        MSG_ID: "several with commas",
        STATE: "several with commas",
        CONTENT: 'or "a text in quotes"; needs a time range',
        "failed_error_code": "E100, E121",
        "parent_msg_id": "a message id",
        FAILURE_GROUP: "its number on the page of failures",
        ARCHIVED: "true or any",
        FAMILY: "roots or failed",
    },
    known=known,
    text=CONTENT,
    no_text=(
        "You may not search payloads: that needs the permission view_payload, and values to be shown. "
        "Ask an administrator. An id is looked up when it stands alone in the line."
    ),
    text_needs="A text is searched for inside a range of receipt: add received:>-2h, at most 31 days.",
)
LABELS = VOCABULARY.labels
BOUNDS, ENDS, TIMES = VOCABULARY.bounds, VOCABULARY.ends, VOCABULARY.time_names
label_of = VOCABULARY.label_of
