"""The states of a group of failures: the only list of them. Imports nothing of Django."""

from enum import StrEnum

from messages_app.core.charts.bars import Tone


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


# The colours of a group's states on pages.


TONES = {
    GroupState.NEW: Tone.BAD,
    GroupState.REGRESSED: Tone.BAD,
    GroupState.KNOWN: Tone.WAITING,
    GroupState.SNOOZED: Tone.DOUBTFUL,
    GroupState.FIXED: Tone.GOOD,
}
