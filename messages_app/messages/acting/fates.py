"""
What the hub does with an external call when its message is restarted: the one statement of the rule.

Imports nothing of Django: executors read it too, for the preview of a bulk restart.
Source: spec/cleverbus.md 2.7 (the hub's decision before a call) and 3.1, points 3 and 4.
"""

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from messages_app.messages.hub_defaults import REPAIR_AFTER
from messages_app.messages.states import CONFIRMATION_OPERATION, ExternalCallState


class WillBe(StrEnum):
    SKIPPED = "skipped"
    SENT_AGAIN = "sent_again"


class Call(Protocol):
    """A row of external_call, as far as the rule reads it."""

    msg_id: int
    operation_name: str
    state: str
    msg_timestamp: datetime


class Owner(Protocol):
    """The message that is restarted, as far as the rule reads it."""

    msg_id: int
    msg_timestamp: datetime


def will_be(call: Call, message: Owner, *, total: bool) -> tuple[WillBe, str]:
    """Return what the hub does with a call when `message` is restarted, and why."""
    if call.msg_id == message.msg_id:
        if call.operation_name == CONFIRMATION_OPERATION:
            return (
                WillBe.SENT_AGAIN,
                "Its record is deleted: the hub confirms anew after the end.",
            )
        if total:
            return WillBe.SENT_AGAIN, _why_total(call)
    return _decided(call, message)


def _why_total(call: Call) -> str:
    if call.state == ExternalCallState.OK:
        return "It went through before. Its record is deleted, so the target gets it a second time."
    return "Its record is deleted, so it is made anew."


def _decided(call: Call, message: Owner) -> tuple[WillBe, str]:
    """Decide as the hub does: by the state of the row that is there, and by its age."""
    is_older = message.msg_timestamp < call.msg_timestamp
    is_newer = message.msg_timestamp > call.msg_timestamp
    if is_older:
        return WillBe.SKIPPED, f"Message {call.msg_id}, which is newer, has taken it over."
    if call.state == ExternalCallState.PROCESSING:
        return WillBe.SENT_AGAIN, _WHY_BUSY
    if call.state == ExternalCallState.OK and not is_newer:
        return WillBe.SKIPPED, "It went through before."
    if call.state == ExternalCallState.OK:
        return WillBe.SENT_AGAIN, "It went through for an older message."
    if call.state in set(ExternalCallState):
        return WillBe.SENT_AGAIN, "It has not gone through."
    return WillBe.SENT_AGAIN, "Its state is not one that this console knows; take it that it is sent."


_WHY_BUSY = (
    "It is under way, or hangs. Until it has ended, each try fails with E112; "
    f"the hub's repair ends it after {REPAIR_AFTER.seconds // 60} minutes."
)
