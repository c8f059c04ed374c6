"""
The states and item outcomes of bulk jobs: the only list of each. Imports nothing of Django.

Source: docs/spec/interfaces.md, "Jobs".
"""

from enum import StrEnum


class JobKind(StrEnum):
    """
    The kinds that code refers to by name. What each is, and the list of all, is in `jobs/kinds/registry.py`.
    """

    ARCHIVE = "archive"
    RESTORE = "restore"
    RESTART = "restart"
    CANCEL = "cancel"
    REPROCESS = "reprocess"
    EXPORT = "export"
    ARCHIVE_HISTORY = "archive_history"
    GROUP_FAILURES = "group_failures"


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


class PlanStep(StrEnum):
    """What holds up the plan of a job that a worker has."""

    NONE = ""  # nothing: its messages are being selected
    STARTING_SPARK = "starting_spark"  # Spark does not answer the worker yet
    WARMING_UP = "warming_up"  # it has one, in which no job was run yet


class Outcome(StrEnum):
    """The outcome of one item; a skip and a failure carry their reason after a colon."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class ChunkContent(StrEnum):
    """What a chunk is made of: messages with all that is theirs, or rows that no message owns."""

    MESSAGES = "messages"
    ORPHAN_REQUESTS = "orphan_requests"
    ORPHAN_RESPONSES = "orphan_responses"


class PauseReason(StrEnum):
    """What a paused job waits for, and a planned one that is not a dry run."""

    OPERATOR = "operator"  # someone paused it
    CANARY = "canary"  # its first messages, to come to a final state
    CANARY_UNDECIDED = "canary_undecided"  # an operator, because they did not in time
    DISK_FULL = "disk_full"  # room
    SECOND_PERSON = "second_person"  # someone else than its maker, to approve what is planned
    CONFIRMATION = "confirmation"  # a number that covers its set, which is larger than the one confirmed


class BulkGuard(StrEnum):
    """What a job of very many messages needs in addition to a right. Source: docs/spec/promises.md, S-29."""

    NONE = "none"
    PASSWORD = "password"  # noqa: S105 (the name of a rule)
    SECOND_PERSON = "second_person"


class SkipReason(StrEnum):
    """Why a job left a message of its frozen set where it was."""

    STATE_CONFLICT = "state_conflict"  # the rules do not allow the action in its state
    IN_JOB = "in_job"  # another active job has it

    FAMILY_NOT_FINAL = "family_not_final"  # a parent or child of it is still in progress
    FAMILY_TOO_YOUNG = "family_too_young"  # a parent or child of it ended after the cut-off
    PARENT_CYCLE = "parent_cycle"  # its parent_msg_ids lead in a circle
    MOVED_ON = "moved_on"  # restarted, or changed, after the plan
    ARCHIVED = "archived"  # it was archived after the plan
    VANISHED = "vanished"  # the hub deleted it after the plan
    LOCKED = "locked"  # the hub or someone else held its row, or that of its family
    STOPPED = "stopped"  # the job was stopped before it came to this message

    MSG_ID_LIVE = "msg_id_live"  # a live message has its id
    CORRELATION_ID_LIVE = "correlation_id_live"  # a live message has its correlation id and source system
    CALL_LIVE = "external_call_live"  # a live external call has the key of one of its calls
    REFRESH = "refresh"  # it refreshes an entity that the job does not name

    FAMILY_STAYS = "family_stays"  # a parent or child of it cannot be restored


class FailReason(StrEnum):
    """Why a message of the frozen set failed; a refused row is named by its constraint instead."""

    TOO_SLOW = "too_slow"  # the statement took longer than an executor may
    NOT_REACHED = "not_reached"  # the job failed before it came to this message
    RIGHT_LOST = "right_lost"  # by then the job's maker might no longer make such a job
    FILE_UNREADABLE = "archive_file_unreadable"  # a file of the Parquet archive is missing or damaged
    COLUMNS_DIFFER = "columns_differ"  # the archive has a column that the live table has not


FINAL_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.STOPPED})

# No one has to work on it, and it continues when told to.
PAUSABLE_STATES = frozenset({JobState.QUEUED, JobState.RUNNING})

STOPPABLE_STATES = frozenset(JobState) - FINAL_STATES - {JobState.STOPPING}

# Someone must be working on these: the sweeper watches over them.
LIVE_STATES = frozenset({JobState.PLANNING, JobState.QUEUED, JobState.RUNNING, JobState.STOPPING})

# A job holds its kind's place from its creation until it ends. A dry run ends in `planned`; any other job is
# there while it waits for a second person.
ACTIVE_STATES = frozenset(JobState) - FINAL_STATES


class StoreName(StrEnum):
    """The stores whose rows are items of jobs. Ids of two stores have nothing to do with each other."""

    MESSAGES = "messages"
    MESSAGE_STORE = "message_store"


class Follower(StrEnum):
    """The jobs that follow from another one, as its page asks for them."""

    UNDO = "undo"
    RETRY = "retry"


def skipped(reason: str) -> str:
    return f"{Outcome.SKIPPED}:{reason}"


def failed(reason: str) -> str:
    return f"{Outcome.FAILED}:{reason}"


def outcome_kind(outcome: str) -> Outcome:
    """Return what an outcome is without its reason."""
    return Outcome(outcome.partition(":")[0])
