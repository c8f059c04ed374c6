"""
The buttons below the explanation of a message: actions that it advises on other messages, each linked to its
page. The buttons next to the explanation are the actions on the message itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.messages.available_actions import offered_actions
from messages_app.messages.diagnosis.explanation import Explanation
from messages_app.messages.diagnosis.reasons import NextStep
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobKind
from messages_app.shared.message_states import MessageAction

CAN_RESTORE = (roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS)


# The page has buttons only for this many of the messages that block this one; the explanation links them all.
_MAX_BUTTONS = 3


@dataclass(frozen=True, kw_only=True)
class AdvisedButton:
    """One button; `url` is the page that asks for confirmation."""

    label: str
    icon: str
    url: str


def advised_buttons(explanation: Explanation | None, *, user: Caller) -> list[AdvisedButton]:
    """Return a button for each action on another message that the hub's rules and permissions allow now."""
    if explanation is None or explanation.next["what"] not in _BUTTONS:
        return []
    buttons = _BUTTONS[explanation.next["what"]]
    return list(buttons(explanation.blocked_by[:_MAX_BUTTONS], user))


def restore_url(msg_id: int) -> str:
    """Return the page of a job that restores an archived message and its family."""
    query = urlencode({"kind": JobKind.RESTORE.value, "archived": "true", "msg_id": str(msg_id)})
    return f"{reverse('job-new')}?{query}"


def _restore_buttons(msg_ids: list[int], user: Caller) -> Iterator[AdvisedButton]:
    if user.has_perms(CAN_RESTORE):
        for msg_id in msg_ids:
            yield AdvisedButton(label=f"Restore {msg_id}", icon="up", url=restore_url(msg_id))


def _restart_buttons(msg_ids: list[int], user: Caller) -> Iterator[AdvisedButton]:
    states = dict(Message.objects.filter(pk__in=msg_ids).values_list("pk", "state"))
    for msg_id in msg_ids:
        if msg_id not in states:
            continue
        if MessageAction.RESTART in offered_actions(user, state=states[msg_id], archived=False):
            url = reverse("message-restart", args=[msg_id])
            yield AdvisedButton(label=f"Restart {msg_id}", icon="restart", url=url)


# The buttons for the messages that block this one, by the advised step.
_BUTTONS: dict[NextStep, Callable[[list[int], Caller], Iterator[AdvisedButton]]] = {
    NextStep.RESTART_BLOCKER: _restart_buttons,
    NextStep.RESTORE_BLOCKER: _restore_buttons,
}
