"""
The only list of states and of item outcomes of bulk jobs. Imports no Django code.

Source: docs/contributing/spec/interfaces.md, "Jobs".
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class JobKind(StrEnum):
    """
    Kinds that code refers to by name. `jobs/kinds/registry.py` has the list of all kinds and their
    properties.
    """

    ARCHIVE = "archive"
    RESTORE = "restore"
    RESTART = "restart"
    CANCEL = "cancel"
    REPROCESS = "reprocess"
    EXPORT = "export"
    ARCHIVE_HISTORY = "archive_history"
    GROUP_FAILURES = "group_failures"
    ANALYSE = "analyse"
    INDEX_KEYS = "index_keys"
    RESEND = "resend"


class JobState(StrEnum):
    PLANNING = "planning"
    PLANNED = "planned"
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


STATE_MEANINGS: Mapping[str, str] = {
    JobState.PLANNING: "Its set of messages is being frozen.",
    JobState.PLANNED: "The end of a dry run. A large job may wait here for a second person.",
    JobState.QUEUED: "Its set is frozen, and it waits for a worker.",
    JobState.RUNNING: "Its messages are being processed.",
    JobState.PAUSED: "It waits: `paused_for` has the reason.",
    JobState.STOPPING: "It finishes the work in progress.",
    JobState.DONE: "Every message has an outcome.",
    JobState.FAILED: "An error has ended it: `error` has the text. Completed work is kept.",
    JobState.STOPPED: "A user, or a limit of the job, has ended it. Completed work is kept.",
}


class PlanStep(StrEnum):
    """The reason why planning of a claimed job is delayed."""

    NONE = ""  # no delay: its messages are being selected
    STARTING_SPARK = "starting_spark"  # Spark does not answer the worker yet
    WARMING_UP = "warming_up"  # the worker has a session in which no job has run yet


class Outcome(StrEnum):
    """The outcome of one item. Skips and failures have a reason after a colon."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class ChunkContent(StrEnum):
    """The content of a chunk: messages with all their rows, or rows that belong to no message."""

    MESSAGES = "messages"
    ORPHAN_REQUESTS = "orphan_requests"
    ORPHAN_RESPONSES = "orphan_responses"


class PauseReason(StrEnum):
    """The reason why a paused job waits, or a planned job that is not a dry run."""

    OPERATOR = "operator"
    CANARY = "canary"
    CANARY_UNDECIDED = "canary_undecided"
    DISK_FULL = "disk_full"
    STORAGE_AWAY = "storage_away"
    SECOND_PERSON = "second_person"
    CONFIRMATION = "confirmation"


class PauseText(NamedTuple):
    """The event that a job waits for, and when it continues: two parts of a sentence."""

    waits_for: str
    continues: str


PAUSES: Mapping[str, PauseText] = {
    PauseReason.OPERATOR: PauseText("the operator who paused it, or another", "when it is resumed"),
    PauseReason.CANARY: PauseText(
        "the messages of the test batch to reach a final state", "automatically, or stops"
    ),
    PauseReason.CANARY_UNDECIDED: PauseText(
        "an operator, because the test batch took too long", "when it is resumed"
    ),
    PauseReason.DISK_FULL: PauseText("free disk space", "automatically"),
    PauseReason.STORAGE_AWAY: PauseText(
        "the storage of the archive or of exports, which does not answer or refuses", "automatically"
    ),
    PauseReason.SECOND_PERSON: PauseText(
        "approval by a person other than its owner, in the state `planned`", "when it is approved"
    ),
    PauseReason.CONFIRMATION: PauseText(
        "an operator to confirm the number of messages, which is larger than the confirmed one",
        "when it is resumed with `confirmed`",
    ),
}


class BulkGuard(StrEnum):
    """
    The requirement for a job with very many messages, in addition to a permission. Source:
    docs/contributing/spec/promises.md, S-29.
    """

    NONE = "none"
    PASSWORD = "password"  # noqa: S105 (the name of a rule)
    SECOND_PERSON = "second_person"


class SkipReason(StrEnum):
    """The reason why a job skipped a message of its frozen set."""

    STATE_CONFLICT = "state_conflict"  # the rules do not allow the action in its state
    IN_JOB = "in_job"  # another active job has it

    FAMILY_NOT_FINAL = "family_not_final"  # a parent or child is still in progress
    FAMILY_TOO_YOUNG = "family_too_young"  # a parent or child ended after the age limit
    PARENT_CYCLE = "parent_cycle"  # its parent_msg_ids form a cycle
    MOVED_ON = "moved_on"  # restarted or changed after the plan
    ARCHIVED = "archived"  # archived after the plan
    VANISHED = "vanished"  # deleted by the hub after the plan
    LOCKED = "locked"  # the hub or another user had locked its row, or a row of its family
    STOPPED = "stopped"  # the job was stopped before this message

    MSG_ID_LIVE = "msg_id_live"  # a live message has its id
    CORRELATION_ID_LIVE = "correlation_id_live"  # a live message has its correlation id and source system
    CALL_LIVE = "external_call_live"  # a live external call has the key of one of its calls
    REFRESH = "refresh"  # it refreshes an entity that the job does not name

    FAMILY_STAYS = "family_stays"  # a parent or child cannot be restored

    NO_KEY = "no_key"  # its operation has no active business key, or its payload no value of one
    UNCHANGED = "unchanged"  # the correction does not change its payload
    MASKED = "masked"  # its payload has masked values
    NOT_WELL_FORMED = "not_well_formed"  # the corrected payload would not be well-formed
    TOO_LARGE = "too_large"  # the payload is too large to be corrected
    ALREADY_RESENT = "already_resent"  # it was corrected and resent before


class FailReason(StrEnum):
    """
    The reason why a message of the frozen set failed. If the database refused a row, the reason is the
    constraint.
    """

    TOO_SLOW = "too_slow"  # the statement exceeded the time limit of executors
    NOT_REACHED = "not_reached"  # the job failed before this message
    RIGHT_LOST = "right_lost"  # the creator of the job has lost the permission
    FILE_UNREADABLE = "archive_file_unreadable"  # a file of the Parquet archive is missing or damaged
    PAYLOAD_UNREADABLE = "payload_unreadable"  # its payload, or the path of a business key, cannot be read
    TRIGGER = "trigger"  # a trigger of the hub refused a change, or left it out
    COLUMNS_DIFFER = "columns_differ"  # the archive has a column that the live table lacks


FINAL_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.STOPPED})

# Such a job can wait without a worker, and continues when it is resumed.
PAUSABLE_STATES = frozenset({JobState.QUEUED, JobState.RUNNING})

STOPPABLE_STATES = frozenset(JobState) - FINAL_STATES - {JobState.STOPPING}

# A worker must have these jobs. The sweeper checks that.
LIVE_STATES = frozenset({JobState.PLANNING, JobState.QUEUED, JobState.RUNNING, JobState.STOPPING})

# An active job has not ended. A dry run ends in `planned`; any other job is in that state while it waits for
# a second person.
ACTIVE_STATES = frozenset(JobState) - FINAL_STATES


class StoreName(StrEnum):
    """The stores whose rows are items of jobs. The ids of different stores are unrelated."""

    MESSAGES = "messages"
    MESSAGE_STORE = "message_store"


class Follower(StrEnum):
    """The jobs that can follow another job, as actions of its page."""

    UNDO = "undo"
    RETRY = "retry"


def skipped_outcome(reason: str) -> str:
    return f"{Outcome.SKIPPED}:{reason}"


def failed_outcome(reason: str) -> str:
    return f"{Outcome.FAILED}:{reason}"


def outcome_kind(outcome: str) -> Outcome:
    """Return an outcome without its reason."""
    return Outcome(outcome.partition(":")[0])
