"""
The buttons below the sentence of a message: what it advises to do to other messages, each with its page.

What it advises to do to the message itself is among the buttons next to the sentence.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.core.clock import time_limit
from messages_app.messages.available_actions import offered_actions
from messages_app.messages.diagnosis.answer import Explanation
from messages_app.messages.diagnosis.explain import explain
from messages_app.messages.diagnosis.reasons import NextStep
from messages_app.messages.models import Message
from messages_app.messages.tables import MESSAGES
from messages_app.shared.job_states import JobKind
from messages_app.shared.message_states import MessageAction

# So many messages that block one get a button each; the sentence links all that it names.
_MOST = 3
CAN_RESTORE = (roles.CAN_ARCHIVE, roles.CAN_VIEW_JOBS)


@dataclass(frozen=True, kw_only=True)
class Advised:
    """One button; `url` is the page that says what would happen, before anything does."""

    label: str
    icon: str
    url: str


def advised(explanation: Explanation | None, *, user: Caller) -> list[Advised]:
    """Return a button for each action on another message that the hub's rules and permissions allow now."""
    if explanation is None or explanation.next["what"] not in _BUTTONS:
        return []
    buttons = _BUTTONS[explanation.next["what"]]
    return list(buttons(explanation.blocked_by[:_MOST], user))


def restore_url(msg_id: int) -> str:
    """Return the page of a job that restores an archived message and its family."""
    query = urlencode({"kind": JobKind.RESTORE.value, "archived": "true", "msg_id": str(msg_id)})
    return f"{reverse('job-new')}?{query}"


def _restores(msg_ids: list[int], user: Caller) -> Iterator[Advised]:
    if user.has_perms(CAN_RESTORE):
        for msg_id in msg_ids:
            yield Advised(label=f"Restore {msg_id}", icon="up", url=restore_url(msg_id))


def _restarts(msg_ids: list[int], user: Caller) -> Iterator[Advised]:
    states = dict(Message.objects.filter(pk__in=msg_ids).values_list("pk", "state"))
    for msg_id in (one for one in msg_ids if one in states):
        if MessageAction.RESTART in offered_actions(user, state=states[msg_id], archived=False):
            url = reverse("message-restart", args=[msg_id])
            yield Advised(label=f"Restart {msg_id}", icon="restart", url=url)


# The buttons for the messages that block one, by what the explanation advises.
_BUTTONS: dict[NextStep, Callable[[list[int], Caller], Iterator[Advised]]] = {
    NextStep.RESTART_BLOCKER: _restarts,
    NextStep.RESTORE_BLOCKER: _restores,
}


# The sentence at the head of a message's page, and which numbers in its texts are messages.


log = logging.getLogger(__name__)

# Each of the explanation's questions takes a few milliseconds; the page does not wait for one that does not.
MAX_MILLISECONDS = 300
_MOST_NUMBERS = 20
# Shorter numbers in a text are counts, ports and status codes, though an id may be as short.
_NUMBER = re.compile(r"(?<![\w.:/-])[0-9]{4,18}(?![\w/-]|\.\w)")


def explanation_of(msg_id: int) -> Explanation | None:
    """Return why the message is where it is; None where that cannot be told: the page opens anyway."""
    try:
        with time_limit(MAX_MILLISECONDS):
            return explain(msg_id)
    except Exception:
        log.exception("message %s was not explained", msg_id)
        return None


def messages_named(texts: Iterable[str | None]) -> set[int]:
    """Return which numbers in these texts are ids of messages, live or archived; of the first few numbers."""
    numbers = dict.fromkeys(int(number) for text in texts for number in _NUMBER.findall(text or ""))
    wanted = list(numbers)[:_MOST_NUMBERS]
    if not wanted:
        return set()
    return {
        msg_id
        for table in MESSAGES
        for msg_id in table._default_manager.filter(pk__in=wanted).values_list("pk", flat=True)
    }
