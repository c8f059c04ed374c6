"""The message store's services: every write, and what may follow from it. Source: spec/other-systems.md 2."""

from messages_app.message_store.intake.loading import HowToLoad, LoadReport, PathMissing, load_paths
from messages_app.message_store.intake.reading import Allowed, NewMessage, read_message
from messages_app.message_store.intake.storing import Stored, store_message
from messages_app.message_store.monitoring.queueing import fill_queue, fold_counts, take_back_dead
from messages_app.message_store.monitoring.scanning import keep_interval, note_scan
from messages_app.message_store.monitoring.working import is_anything_left, work
from messages_app.message_store.operating.acting import release, reprocess, retry_now
from messages_app.message_store.operating.defining import Definition, define, remove_definition
from messages_app.message_store.operating.muting import mute, unmute
from messages_app.message_store.operating.setting import set_limits, unset_limits
from messages_app.message_store.processing.attempting import process_message
from messages_app.message_store.processing.finishing import Outcome
from messages_app.message_store.processing.rehearsing import Effect, Rehearsal, rehearse
from messages_app.message_store.refusals import (
    DefinitionMissing,
    InvalidInput,
    MessageMissing,
    StatusConflict,
)

__all__ = [
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
