"""
The message store's services: every write, and what may follow from it.

Source: docs/spec/message_store.md.
"""

from messages_app.message_store.errors import DefinitionMissing, InvalidInput, MessageMissing, StatusConflict
from messages_app.message_store.intake.loader import HowToLoad, LoadReport, PathMissing, load_paths
from messages_app.message_store.intake.parser import Allowed, NewMessage, read_message
from messages_app.message_store.intake.storage import Stored, store_message
from messages_app.message_store.monitoring.queue import (
    fill_queue,
    fold_counts,
    keep_interval,
    note_scan,
    take_back_dead,
)
from messages_app.message_store.monitoring.worker import is_anything_left, work
from messages_app.message_store.operations.definitions import Definition, define, remove_definition
from messages_app.message_store.operations.messages import release, reprocess, retry_now
from messages_app.message_store.operations.mute import mute, set_limits, unmute, unset_limits
from messages_app.message_store.processing.attempt import process_message
from messages_app.message_store.processing.dry_run import EFFECT_TONES, Effect, Rehearsal, rehearse
from messages_app.message_store.processing.end import Outcome

__all__ = [
    "EFFECT_TONES",
    "Allowed",
    "Definition",
    "DefinitionMissing",
    "Effect",
    "HowToLoad",
    "InvalidInput",
    "LoadReport",
    "MessageMissing",
    "NewMessage",
    "Outcome",
    "PathMissing",
    "Rehearsal",
    "StatusConflict",
    "Stored",
    "define",
    "fill_queue",
    "fold_counts",
    "is_anything_left",
    "keep_interval",
    "load_paths",
    "mute",
    "note_scan",
    "process_message",
    "read_message",
    "rehearse",
    "release",
    "remove_definition",
    "reprocess",
    "retry_now",
    "set_limits",
    "store_message",
    "take_back_dead",
    "unmute",
    "unset_limits",
    "work",
]
