"""
Explanations of WAITING: parents that wait for their children, sometimes forever.

Source: docs/contributing/spec/cleverbus.md, "Parents and children".
"""

from collections.abc import Sequence

from messages_app.core.formatting import count_of, format_list, format_moment
from messages_app.messages.diagnosis.advice import advise_action
from messages_app.messages.diagnosis.children import (
    MAX_CHILDREN,
    Children,
    filter_hard,
    filter_soft,
    is_hard,
)
from messages_app.messages.diagnosis.explanation import (
    MAX_BLOCKERS,
    Explanation,
    build_explanation,
    make_step,
)
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.subject import Subject
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageAction, MessageState

_FOREVER = "so this parent waits forever"


def explain_parent(subject: Subject) -> Explanation:
    """Explain a message in WAITING."""
    children = Children(subject.msg_id)
    if filter_hard(children.unfinished) or len(children.unfinished) > MAX_CHILDREN:
        return _explain_unfinished_children(subject, children)
    return _explain_child_not_ok(subject, children) or _explain_unchecked_parent(subject, children)


def _explain_unfinished_children(subject: Subject, children: Children) -> Explanation:
    not_ok = children.cancelled + children.failed
    if not_ok:
        return _explain_endless_wait(subject, children, not_ok)
    unfinished = filter_hard(children.unfinished) + filter_soft(children.unfinished)
    named = _write_children(unfinished)
    only_responses = all(child.state == MessageState.WAITING_FOR_RES for child in filter_hard(unfinished))
    outlook = (
        "The hub and this parent wait for the response without a time limit, unless an operator acts."
        if only_responses
        else "The hub sets it to OK when all HARD children are OK, and to FAILED when a HARD child fails."
    )
    return build_explanation(
        Reason.WAITS_FOR_UNANSWERED_CHILD if only_responses else Reason.WAITS_FOR_CHILDREN,
        f"{subject.write_status()}: {_count_children(unfinished)} not finished: {named}.",
        outlook,
        blocked_by=_first_ids(unfinished),
        next_step=make_step(NextStep.CHASE_ANSWER, By.OPERATOR)
        if only_responses
        else make_step(NextStep.CHILDREN, By.HUB),
    )


def _explain_endless_wait(
    subject: Subject, children: Children, not_ok: Sequence[MessageColumns]
) -> Explanation:
    unfinished = filter_hard(children.unfinished) + filter_soft(children.unfinished)
    return build_explanation(
        Reason.WILL_WAIT_FOR_EVER,
        f"{subject.write_status()}: {_count_children(unfinished)} not finished, "
        f"{_write_children(unfinished)}; "
        f"but {_write_children(not_ok)}, so this parent will wait forever, even if the others end OK.",
        f"Restart {format_list([child.pk for child in not_ok], more=len(not_ok) > MAX_CHILDREN)} and let "
        f"{'it' if len(not_ok) == 1 else 'them'} end OK before the last HARD child does.",
        blocked_by=_first_ids([*not_ok, *unfinished]),
        next_step=make_step(NextStep.RESTART_BLOCKER, By.OPERATOR),
    )


def _explain_child_not_ok(subject: Subject, children: Children) -> Explanation | None:
    """Explain a parent without unfinished HARD children, if another child is not OK."""
    for reason, ended in (
        (Reason.WAITS_FOR_CANCELLED_CHILD, filter_hard(children.cancelled)),
        (Reason.WAITS_FOR_FAILED_CHILD, filter_hard(children.failed)),
    ):
        if ended:
            return build_explanation(
                reason,
                f"{subject.write_status()}: all HARD children have ended, and {_write_children(ended)}, "
                f"{_FOREVER}.",
                f"Restart {format_list(_first_ids(ended))}. When all HARD children are OK, the "
                "hub sets the parent to OK.",
                blocked_by=_first_ids(ended),
                next_step=make_step(NextStep.RESTART_BLOCKER, By.OPERATOR),
            )
    not_ok = filter_soft([*children.unfinished, *children.cancelled, *children.failed])
    if not not_ok or not filter_hard(children.ok):
        return None
    return _advise_cancel(
        subject,
        Reason.WAITS_FOR_SOFT_CHILD,
        f"all HARD children have ended, and {_write_children(not_ok)}; the hub does not check a parent when "
        f"a SOFT child ends, {_FOREVER}",
        names=_first_ids(not_ok),
    )


def _explain_unchecked_parent(subject: Subject, children: Children) -> Explanation:
    """Explain a parent that the hub may never check again, because no HARD child will end."""
    live = [*children.ok, *children.unfinished, *children.cancelled, *children.failed]
    if not live and not children.archived:
        return _advise_cancel(subject, Reason.WAITS_WITHOUT_CHILDREN, f"it has no children, {_FOREVER}")
    if live and not filter_hard(live) and not filter_hard(children.archived):
        return _advise_cancel(
            subject,
            Reason.WAITS_WITH_ONLY_SOFT_CHILDREN,
            f"all its children are SOFT, and the hub does not check a parent when a SOFT child ends, "
            f"{_FOREVER}",
        )
    if children.archived:
        return _advise_cancel(
            subject,
            Reason.WAITS_FOR_ARCHIVED_CHILD,
            f"{_write_children(children.archived)} and archived while it waited, and all its children have "
            f"ended, {_FOREVER}",
            names=_first_ids(children.archived),
        )
    return _explain_all_ok(subject, children)


def _explain_all_ok(subject: Subject, children: Children) -> Explanation:
    last = children.ok[0]
    ended = f"its last child, {last.pk}, ended {_write_end(last)}"
    if not is_hard(last):
        return _advise_cancel(
            subject,
            Reason.WAITS_FOR_SOFT_CHILD,
            f"{ended} and is SOFT; the hub does not check a parent when a SOFT child ends, {_FOREVER}",
            names=[last.pk],
        )
    if subject.rules.parents_climb and _has_ended_before(last, subject):
        return _advise_cancel(
            subject,
            Reason.CHILDREN_ENDED_TOO_EARLY,
            f"{ended}, before this parent began to wait, and the hub will not check it again, {_FOREVER}",
            names=[last.pk],
        )
    return _advise_cancel(
        subject,
        Reason.CHILDREN_ALL_OK,
        f"all its children are OK and {ended}, but the hub has not checked the parent after that"
        f"{_write_one_level(subject, last)}; unless that was a moment ago, it waits forever",
        names=[last.pk],
    )


def _has_ended_before(child: MessageColumns, parent: Subject) -> bool:
    return child.last_process_timestamp is not None and child.last_process_timestamp <= parent.since


def _write_one_level(subject: Subject, last: MessageColumns) -> str:
    if subject.rules.parents_climb or not Message.objects.filter(parent_msg_id=last.pk).exists():
        return ""
    return f": {last.pk} ended because of its own children, and then this hub does not check one level higher"


def _advise_cancel(subject: Subject, reason: Reason, why: str, *, names: Sequence[int] = ()) -> Explanation:
    text = "Cancel it. The work of its children is not undone."
    refused = "This hub does not allow a cancel in WAITING: its row must be corrected."
    advice = advise_action(subject, MessageAction.CANCEL, text=text, otherwise=refused)
    return build_explanation(
        reason, f"{subject.write_status()}: {why}.", advice.text, names=names, next_step=advice.next_step
    )


def _first_ids(children: Sequence[MessageColumns]) -> list[int]:
    return [child.pk for child in children[:MAX_BLOCKERS]]


def _count_children(children: Sequence[MessageColumns]) -> str:
    more = len(children) > MAX_CHILDREN
    number = count_of(min(len(children), MAX_CHILDREN), "child", more=more)
    return f"{number} {'is' if len(children) == 1 else 'are'}"


def _write_children(children: Sequence[MessageColumns]) -> str:
    """Write the first children with binding and state: HARD child 7 is FAILED."""
    named = [f"{_binding_of(child)} child {child.pk} is {child.state}" for child in children]
    return format_list(named, more=len(children) > MAX_CHILDREN)


def _binding_of(child: MessageColumns) -> str:
    return "HARD" if is_hard(child) else "SOFT"


def _write_end(child: MessageColumns) -> str:
    return (
        f"at {format_moment(child.last_process_timestamp)}"
        if child.last_process_timestamp
        else "some time ago"
    )
