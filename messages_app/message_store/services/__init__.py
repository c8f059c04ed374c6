"""
Every write to the message store: intake, attempts, the monitor, actions of operators, definitions.

Source: docs/contributing/spec/message_store.md.
"""

from messages_app.message_store.errors import DefinitionMissing, InvalidInput, MessageMissing, StatusConflict
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.definitions import Definition, remove_definition, store_definition
from messages_app.message_store.services.dry_run import EFFECT_TONES, DryRun, Effect, make_dry_run
from messages_app.message_store.services.end import Outcome
from messages_app.message_store.services.intake import (
    Allowed,
    NewMessage,
    Stored,
    read_message,
    store_message,
    store_messages,
)
from messages_app.message_store.services.loader import Common, HowToLoad, LoadReport, PathMissing, load_paths
from messages_app.message_store.services.messages import (
    mute_message,
    release_message,
    reprocess_message,
    retry_now,
    unmute_message,
)
from messages_app.message_store.services.monitor import (
    fill_queue,
    fold_counts,
    is_anything_left,
    keep_interval,
    note_scan,
    set_limits,
    take_back_dead,
    unset_limits,
    work_for,
)

__all__ = [
    "EFFECT_TONES",
    "Allowed",
    "Common",
    "Definition",
    "DefinitionMissing",
    "DryRun",
    "Effect",
    "HowToLoad",
    "InvalidInput",
    "LoadReport",
    "MessageMissing",
    "NewMessage",
    "Outcome",
    "PathMissing",
    "StatusConflict",
    "Stored",
    "fill_queue",
    "fold_counts",
    "is_anything_left",
    "keep_interval",
    "load_paths",
    "make_dry_run",
    "mute_message",
    "note_scan",
    "process_message",
    "read_message",
    "release_message",
    "remove_definition",
    "reprocess_message",
    "retry_now",
    "set_limits",
    "store_definition",
    "store_message",
    "store_messages",
    "take_back_dead",
    "unmute_message",
    "unset_limits",
    "work_for",
]
