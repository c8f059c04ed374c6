"""
The kinds, states and item outcomes of bulk jobs: the only list of each. Imports nothing of Django.

Source: spec/interfaces.md 6.
"""

from enum import StrEnum


class JobKind(StrEnum):
    ARCHIVE = "archive"
    RESTORE = "restore"
    RESTART = "restart"
    CANCEL = "cancel"
    REPROCESS = "reprocess"
    EXPORT = "export"


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


class Outcome(StrEnum):
    """What became of one item; a skip and a failure carry their reason after a colon."""

    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class SkipReason(StrEnum):
    """Why an archive job left a message of its frozen set where it was."""

    FAMILY_NOT_FINAL = "family_not_final"  # a parent or child of it is still under way
    FAMILY_TOO_YOUNG = "family_too_young"  # a parent or child of it ended after the cut-off
    PARENT_CYCLE = "parent_cycle"  # its parent_msg_ids lead in a circle
    MOVED_ON = "moved_on"  # restarted, or changed, after the plan
    VANISHED = "vanished"  # the hub deleted it after the plan
    LOCKED = "locked"  # the hub or somebody else held its row


FINAL_STATES = frozenset({JobState.DONE, JobState.FAILED, JobState.STOPPED})

# Somebody must be working on these: the sweeper watches over them.
LIVE_STATES = frozenset({JobState.PLANNING, JobState.QUEUED, JobState.RUNNING, JobState.STOPPING})

# A job holds its kind's place from its creation until it ends; a dry run ends in `planned`.
ACTIVE_STATES = frozenset(JobState) - FINAL_STATES
