"""Return the explanation at the time AT, for tests."""

from messages_app.messages.diagnosis.explain import explain
from messages_app.messages.diagnosis.reasons import Explanation
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message, MessageEvent
from tests.messages_app.messages.funnels.rows import AT, ago, stored


def told(message: MessageColumns) -> Explanation:
    return explain(message.pk, at=AT)


def reason(message: MessageColumns) -> str:
    return told(message).reason


def child(parent: Message, state: str, *, binding: str | None = "HARD", **columns: object) -> Message:
    """Store a child, HARD unless `binding` says otherwise."""
    return stored(state, **({"parent_msg_id": parent.pk, "parent_binding_type": binding} | columns))


def changed(
    message: Message, from_state: str, to_state: str, *, age: float = 30, actor: str | None = None
) -> None:
    """Note a change of state; without an actor it is the hub's."""
    MessageEvent.objects.create(
        msg_id=message.pk, from_state=from_state, to_state=to_state, actor=actor, at=ago(age)
    )
