"""
Explanations of WAITING and WAITING_FOR_RES: a parent that waits for children, sometimes forever, and a
response.

Source: docs/spec/cleverbus.md, "Parents and children".
"""

from collections.abc import Sequence

from messages_app.core.formatting import clock, counted, duration, listed
from messages_app.messages.diagnosis.advice import advise, may
from messages_app.messages.diagnosis.children import MOST_CHILDREN, Children, hard, is_hard, soft
from messages_app.messages.diagnosis.reasons import (
    MOST_BLOCKERS,
    By,
    Explanation,
    NextStep,
    Reason,
    explained,
    step,
)
from messages_app.messages.diagnosis.subject import Subject, along
from messages_app.messages.hub_columns import MessageColumns
from messages_app.messages.models import ExternalCall, Message, Request
from messages_app.shared.hub_defaults import RESPONSE_ALERT_AFTER
from messages_app.shared.message_states import MessageAction, MessageState

_FOR_EVER = "so this parent waits forever"


def explain_parent(subject: Subject) -> Explanation:
    """Explain a message in WAITING."""
    children = Children(subject.msg_id)
    if hard(children.unfinished) or len(children.unfinished) > MOST_CHILDREN:
        return _waits(subject, children)
    return _ended_badly(subject, children) or _never_looked_at(subject, children)


def _waits(subject: Subject, children: Children) -> Explanation:
    spoilers = children.cancelled + children.failed
    if spoilers:
        return _in_vain(subject, children, spoilers)
    unfinished = hard(children.unfinished) + soft(children.unfinished)
    named = _named(unfinished)
    answers = all(child.state == MessageState.WAITING_FOR_RES for child in hard(unfinished))
    outlook = (
        "The hub and this parent wait for the response without a time limit, unless an operator acts."
        if answers
        else "The hub sets it to OK when all HARD children are OK, and to FAILED when a HARD child fails."
    )
    return explained(
        Reason.WAITS_FOR_UNANSWERED_CHILD if answers else Reason.WAITS_FOR_CHILDREN,
        f"{subject.lasting()}: {_number(unfinished)} not finished: {named}.",
        outlook,
        blocked_by=_ids(unfinished),
        then=step(NextStep.CHASE_ANSWER, By.OPERATOR) if answers else step(NextStep.CHILDREN, By.HUB),
    )


def _in_vain(subject: Subject, children: Children, spoilers: Sequence[MessageColumns]) -> Explanation:
    unfinished = hard(children.unfinished) + soft(children.unfinished)
    return explained(
        Reason.WILL_WAIT_FOR_EVER,
        f"{subject.lasting()}: {_number(unfinished)} not finished, {_named(unfinished)}; but "
        f"{_named(spoilers)} did not end OK, so this parent will wait forever, even if the others end OK.",
        f"Restart {listed([child.pk for child in spoilers], more=len(spoilers) > MOST_CHILDREN)} and let "
        f"{'it' if len(spoilers) == 1 else 'them'} end OK before the last HARD child does.",
        blocked_by=_ids([*spoilers, *unfinished]),
        then=step(NextStep.RESTART_BLOCKER, By.OPERATOR),
    )


def _ended_badly(subject: Subject, children: Children) -> Explanation | None:
    """Explain a parent without unfinished HARD children, if another child is not OK."""
    for reason, ended in (
        (Reason.WAITS_FOR_CANCELLED_CHILD, hard(children.cancelled)),
        (Reason.WAITS_FOR_FAILED_CHILD, hard(children.failed)),
    ):
        if ended:
            return explained(
                reason,
                f"{subject.lasting()}: all HARD children have ended, and {_named(ended)}, {_FOR_EVER}.",
                f"Restart {listed(_ids(ended))}. When all HARD children are OK, the "
                "hub sets the parent to OK.",
                blocked_by=_ids(ended),
                then=step(NextStep.RESTART_BLOCKER, By.OPERATOR),
            )
    not_ok = soft([*children.unfinished, *children.cancelled, *children.failed])
    if not not_ok or not hard(children.ok):
        return None
    return _lost(
        subject,
        Reason.WAITS_FOR_SOFT_CHILD,
        f"all HARD children have ended, and {_named(not_ok)}; the hub does not check a parent when a "
        f"SOFT child ends, {_FOR_EVER}",
        names=_ids(not_ok),
    )


def _never_looked_at(subject: Subject, children: Children) -> Explanation:
    """Explain a parent that the hub has no occasion to check again."""
    live = [*children.ok, *children.unfinished, *children.cancelled, *children.failed]
    if not live and not children.archived:
        return _lost(subject, Reason.WAITS_WITHOUT_CHILDREN, f"it has no children, {_FOR_EVER}")
    if live and not hard(live) and not hard(children.archived):
        return _lost(
            subject,
            Reason.WAITS_WITH_ONLY_SOFT_CHILDREN,
            f"all its children are SOFT, and the hub does not check a parent when a SOFT child ends, "
            f"{_FOR_EVER}",
        )
    if children.archived:
        return _lost(
            subject,
            Reason.WAITS_FOR_ARCHIVED_CHILD,
            f"{_named(children.archived)} and archived while it waited, and all its children have ended, "
            f"{_FOR_EVER}",
            names=_ids(children.archived),
        )
    return _all_ok(subject, children)


def _all_ok(subject: Subject, children: Children) -> Explanation:
    last = children.ok[0]
    ended = f"its last child, {last.pk}, ended {_at(last)}"
    if not is_hard(last):
        return _lost(
            subject,
            Reason.WAITS_FOR_SOFT_CHILD,
            f"{ended} and is SOFT; the hub does not check a parent when a SOFT child ends, {_FOR_EVER}",
            names=[last.pk],
        )
    if subject.rules.parents_climb and _ended_before(last, subject):
        return _lost(
            subject,
            Reason.CHILDREN_ENDED_TOO_EARLY,
            f"{ended}, before this parent began to wait, and the hub will not check it again, {_FOR_EVER}",
            names=[last.pk],
        )
    return _lost(
        subject,
        Reason.CHILDREN_ALL_OK,
        f"all its children are OK and {ended}{_one_level(subject, last)}, but the hub has not checked the "
        "parent after that; unless that was a moment ago, it waits forever",
        names=[last.pk],
    )


def _ended_before(child: MessageColumns, parent: Subject) -> bool:
    return child.last_process_timestamp is not None and child.last_process_timestamp <= parent.since


def _one_level(subject: Subject, last: MessageColumns) -> str:
    if subject.rules.parents_climb or not Message.objects.filter(parent_msg_id=last.pk).exists():
        return ""
    return " because of its own children, after which this hub does not check one level higher"


def _lost(subject: Subject, reason: Reason, why: str, *, names: Sequence[int] = ()) -> Explanation:
    words = "Cancel it. The work of its children is not undone."
    refused = "This hub does not allow a cancel in WAITING: its row must be corrected."
    advice = advise(subject, MessageAction.CANCEL, words=words, otherwise=refused)
    return explained(reason, f"{subject.lasting()}: {why}.", advice.words, names=names, then=advice.then)


def _ids(children: Sequence[MessageColumns]) -> list[int]:
    return [child.pk for child in children[:MOST_BLOCKERS]]


def _number(children: Sequence[MessageColumns]) -> str:
    more = len(children) > MOST_CHILDREN
    number = counted(min(len(children), MOST_CHILDREN), "child", more=more)
    return f"{number} {'is' if len(children) == 1 else 'are'}"


def _named(children: Sequence[MessageColumns]) -> str:
    """Write the first children with binding and state: HARD child 7 is FAILED."""
    named = [f"{_binding(child)} child {child.pk} is {child.state}" for child in children]
    return listed(named, more=len(children) > MOST_CHILDREN)


def _binding(child: MessageColumns) -> str:
    return "HARD" if is_hard(child) else "SOFT"


def _at(child: MessageColumns) -> str:
    return f"at {clock(child.last_process_timestamp)}" if child.last_process_timestamp else "some time ago"


# WAITING_FOR_RES, which the hub never ends on its own.
#
# Source: docs/spec/cleverbus.md, "Transitions", "Repair", "Built-in alert".


def explain_response(subject: Subject) -> Explanation:
    """Explain a message in WAITING_FOR_RES."""
    if subject.at - subject.since > RESPONSE_ALERT_AFTER:
        return _overdue(subject)
    return explained(
        Reason.WAITS_FOR_RESPONSE,
        f"{subject.lasting()}, since {clock(subject.since)}: it waits for a response from another system.",
        _asked(subject),
        "It continues when the response arrives. The hub has no time limit for this.",
        then=step(NextStep.ANSWER, By.OUTSIDE),
    )


def _overdue(subject: Subject) -> Explanation:
    can_cancel = may(subject, MessageAction.CANCEL)
    return explained(
        Reason.RESPONSE_OVERDUE,
        f"{subject.lasting()}, since {clock(subject.since)}: another system has not responded for longer "
        f"than the {duration(RESPONSE_ALERT_AFTER)} after which the hub's alert counts it.",
        _asked(subject),
        "The hub has no time limit for this: have the response sent"
        f"{', or cancel it.' if can_cancel else '; this hub does not allow a cancel in this state.'}",
        then=step(NextStep.CHASE_ANSWER, By.OPERATOR),
    )


def _asked(subject: Subject) -> str:
    """Write the last request, if the hub keeps requests, or else the last external call."""
    requests = along(Request.objects.defer("req_envelope"), "msg_id", subject.msg_id, then="-req_id")
    request = requests.first()
    if request is not None:
        return f"Its last request went to {request.shown_uri} at {clock(request.req_timestamp)}."
    call = along(ExternalCall.objects, "msg_id", subject.msg_id, then="-call_id").first()
    if call is None:
        return ""
    return (
        f"Its last call, {call.shown_operation}, is {call.state} since {clock(call.last_update_timestamp)}."
    )
