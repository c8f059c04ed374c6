"""
What a child's end does to its parent.

Source: docs/spec/cleverbus.md, "Parents and children".

The parent is read and rewritten, not from a copy: but whatever its state is, where the hub does not ask.
"""

from collections.abc import Iterable, Iterator

from messages_app.demo.hub.play import Stage
from messages_app.messages.models import Message
from messages_app.messages.services import rules
from messages_app.shared.message_states import MessageState, ParentBinding

# Of a parent with very many children, the business errors of this many are collected.
_CHILDREN_READ = 200
_MOST_BUSINESS_ERROR = 20_000


def child_is_ok(stage: Stage, child: Message) -> None:
    """Make the parent OK when this was its last child; of a hub that climbs, its parent too."""
    climbs = rules().parents_climb
    for below, parent in _hard_line(child):
        if _has_another_unfinished(parent, below):
            return
        if not climbs:
            stage.write(parent, MessageState.OK, business_error=_business_errors(parent))
            return
        if parent.state != MessageState.WAITING:
            return
        stage.write(parent, MessageState.OK)


def child_failed(stage: Stage, child: Message) -> None:
    """Make the parent FAILED, whatever its state, with the child's error; of a hub that climbs, all above."""
    copied = {name: getattr(child, name) for name in ("failed_error_code", "failed_desc", "failed_count")}
    for _, parent in _hard_line(child):
        stage.write(parent, MessageState.FAILED, **copied)
        if not rules().parents_climb:
            return


def joined(errors: Iterable[str | None]) -> str | None:
    """Join business errors as the hub does. Source: docs/spec/cleverbus.md, "Table message"."""
    return "||".join(filter(None, errors))[:_MOST_BUSINESS_ERROR] or None


def _hard_line(child: Message) -> Iterator[tuple[Message, Message]]:
    """Yield each child and its parent, upwards as long as they are bound HARD, in a circle each once."""
    seen = {child.pk}
    while child.parent_msg_id is not None and child.parent_binding_type == ParentBinding.HARD:
        parent = Message.objects.filter(pk=child.parent_msg_id).first()
        if parent is None or parent.pk in seen:
            return
        seen.add(parent.pk)
        yield child, parent
        child = parent


def _has_another_unfinished(parent: Message, child: Message) -> bool:
    """Return whether any other child, SOFT ones too, is not OK."""
    others = Message.objects.filter(parent_msg_id=parent.pk).exclude(pk=child.pk)
    return others.exclude(state=MessageState.OK).exists()


def _business_errors(parent: Message) -> str | None:
    children = Message.objects.filter(parent_msg_id=parent.pk).order_by("msg_id")
    return joined(list(children.values_list("business_error", flat=True)[:_CHILDREN_READ]))
