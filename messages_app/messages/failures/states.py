"""The states of a group of failures: the only list of them. Imports nothing of Django."""

from enum import StrEnum


class GroupState(StrEnum):
    NEW = "new"
    KNOWN = "known"
    SNOOZED = "snoozed"
    FIXED = "fixed"
    REGRESSED = "regressed"


# What an operator may say of a group. New and regressed it becomes on its own.
SAID_STATES = frozenset({GroupState.KNOWN, GroupState.SNOOZED, GroupState.FIXED})

# Someone has to look.
PRESSING_STATES = frozenset({GroupState.NEW, GroupState.REGRESSED})


# The colours of a group's states on pages: those of jobs have them (static/css/tokens.css).


TONES = {
    GroupState.NEW: "failed",
    GroupState.REGRESSED: "failed",
    GroupState.KNOWN: "planned",
    GroupState.SNOOZED: "paused",
    GroupState.FIXED: "done",
}
