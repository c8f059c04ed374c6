"""Helpers for tests of explanations, which are all given at the time AT."""

from collections.abc import Sequence

from messages_app.messages.diagnosis.explain import explain_by_id
from messages_app.messages.diagnosis.explanation import Explanation
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message, MessageEvent
from tests.messages_app.messages.funnels.rows import AT, ago, stored


def explanation_of(message: MessageColumns) -> Explanation:
    return explain_by_id(message.pk, at=AT)


def reason_of(message: MessageColumns) -> str:
    return explanation_of(message).reason


def make_child(parent: Message, state: str, *, binding: str | None = "HARD", **columns: object) -> Message:
    """Store a child of the parent, with the binding HARD by default."""
    return stored(state, **({"parent_msg_id": parent.pk, "parent_binding_type": binding} | columns))


def record_change(
    message: Message, from_state: str, to_state: str, *, age: float = 30, actor: str | None = None
) -> None:
    """Record a change of state; without an actor, the hub made it."""
    MessageEvent.objects.create(
        msg_id=message.pk, from_state=from_state, to_state=to_state, actor=actor, at=ago(age)
    )


def check_explanation(
    message: MessageColumns,
    reason: str,
    summary: str,
    *,
    next: dict[str, str],
    blocked_by: Sequence[int] = (),
    mentions: Sequence[int] | None = None,
) -> None:
    """
    Compare a whole explanation.

    Args:
        next: the members of the next step that are not null.
        mentions: the messages that the summary names; by default those of `blocked_by`.
    """
    explanation = explanation_of(message)
    assert (explanation.reason, explanation.summary) == (reason, summary)
    assert {name: value for name, value in explanation.next.items() if value is not None} == next
    assert explanation.blocked_by == list(blocked_by)
    assert explanation.mentions == list(blocked_by if mentions is None else mentions)
