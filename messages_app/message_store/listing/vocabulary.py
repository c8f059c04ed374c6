"""What the list of messages calls its filters."""

from messages_app.message_store.listing.filters import MESSAGES
from messages_app.web.query_line.vocabulary import TimeWords, Vocabulary

VOCABULARY = Vocabulary(
    filters=MESSAGES,
    names={
        "status": "Status",
        "source_system": "System",
        "source_entity": "Entity",
        "message_identifier": "Identifier",
        "user_name": "User",
        "refresh": "Refresh",
        "missing_entity": "Lacks a record of",
        "missing_key": "Key of that record",
        "error_contains": "Error contains",
        "orphaned": "Orphaned",
        "muted": "Muted",
    },
    times={
        "message_timestamp": TimeWords(key="made", label="Made"),
        "effective_timestamp": TimeWords(key="valid", label="Valid from"),
        "processed_timestamp": TimeWords(key="tried", label="Last attempt"),
        "next_attempt_timestamp": TimeWords(key="next", label="Next attempt"),
    },
)
