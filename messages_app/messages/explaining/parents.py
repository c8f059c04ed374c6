"""
WAITING: a parent whose children are not finished, and the ways in which one waits for ever.

Source: spec/cleverbus.md 4.
"""

from collections.abc import Sequence

from django.db.models import Model

from messages_app.messages.explaining.advice import advise
from messages_app.messages.explaining.answer import MOST_BLOCKERS, Explanation, explained, step
from messages_app.messages.explaining.children import MOST_CHILDREN, Children, hard, is_hard, soft
from messages_app.messages.explaining.reasons import By, NextStep, Reason
from messages_app.messages.explaining.subject import Subject
from messages_app.messages.models import Message
from messages_app.messages.states import MessageAction, MessageState
from messages_app.web.words import clock, counted, listed

_FOR_EVER = "so this parent waits for ever"


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
        "The hub never gives up waiting for an answer: until it comes, or somebody acts, the parent waits."
        if answers
        else "The hub makes it OK when the last HARD child ends OK and all others are OK, FAILED when a HARD "
        "child FAILS."
    )
    return explained(
        Reason.WAITS_FOR_UNANSWERED_CHILD if answers else Reason.WAITS_FOR_CHILDREN,
        f"{subject.lasting()}: {_number(unfinished)} not finished: {named}.",
        outlook,
        blocked_by=_ids(unfinished),
        then=step(NextStep.CHASE_ANSWER, By.OPERATOR) if answers else step(NextStep.CHILDREN, By.HUB),
    )


def _in_vain(subject: Subject, children: Children, spoilers: Sequence[Model]) -> Explanation:
    unfinished = hard(children.unfinished) + soft(children.unfinished)
    return explained(
        Reason.WILL_WAIT_FOR_EVER,
        f"{subject.lasting()}: {_number(unfinished)} not finished, {_named(unfinished)}; but "
        f"{_named(spoilers)} did not end OK, so even when the others do, it will wait for ever.",
        f"Restart {listed([child.pk for child in spoilers], more=len(spoilers) > MOST_CHILDREN)} and let "
        f"{'it' if len(spoilers) == 1 else 'them'} end OK before the last HARD child does.",
        blocked_by=_ids([*spoilers, *unfinished]),
        then=step(NextStep.RESTART_BLOCKER, By.OPERATOR),
    )


def _ended_badly(subject: Subject, children: Children) -> Explanation | None:
    """Explain a parent whose unfinished children, if any, are SOFT, and one of whose others is not OK."""
    for reason, ended in (
        (Reason.WAITS_FOR_CANCELLED_CHILD, hard(children.cancelled)),
        (Reason.WAITS_FOR_FAILED_CHILD, hard(children.failed)),
    ):
        if ended:
            return explained(
                reason,
                f"{subject.lasting()}: no HARD child is left to finish, and {_named(ended)}, {_FOR_EVER}.",
                f"Restart {listed(_ids(ended))}: when the last HARD child ends OK and all others are OK, the "
                "hub makes the parent OK.",
                blocked_by=_ids(ended),
                then=step(NextStep.RESTART_BLOCKER, By.OPERATOR),
            )
    not_ok = soft([*children.unfinished, *children.cancelled, *children.failed])
    if not not_ok or not hard(children.ok):
        return None
    return _lost(
        subject,
        Reason.WAITS_FOR_SOFT_CHILD,
        f"no HARD child is left to finish, and {_named(not_ok)}; the hub does not look at a parent when a "
        f"SOFT child ends, {_FOR_EVER}",
        names=_ids(not_ok),
    )


def _never_looked_at(subject: Subject, children: Children) -> Explanation:
    """Explain a parent with nothing left that could make the hub look at it."""
    live = [*children.ok, *children.unfinished, *children.cancelled, *children.failed]
    if not live and not children.archived:
        return _lost(subject, Reason.WAITS_WITHOUT_CHILDREN, f"it has no children, {_FOR_EVER}")
    if live and not hard(live) and not hard(children.archived):
        return _lost(
            subject,
            Reason.WAITS_WITH_ONLY_SOFT_CHILDREN,
            f"all its children are SOFT, and the hub does not look at a parent when one of these ends, "
            f"{_FOR_EVER}",
        )
    if children.archived:
        return _lost(
            subject,
            Reason.WAITS_FOR_ARCHIVED_CHILD,
            f"{_named(children.archived)} and archived while it waited, and no child is left to finish, "
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
            f"{ended} and is SOFT; the hub does not look at a parent when a SOFT child ends, {_FOR_EVER}",
            names=[last.pk],
        )
    if subject.rules.parents_climb and _ended_before(last, subject):
        return _lost(
            subject,
            Reason.CHILDREN_ENDED_TOO_EARLY,
            f"{ended}, before this parent began to wait, and no other will make the hub look, {_FOR_EVER}",
            names=[last.pk],
        )
    return _lost(
        subject,
        Reason.CHILDREN_ALL_OK,
        f"all its children are OK and {ended}{_one_level(subject, last)}, but the hub has not looked at the "
        "parent since; unless that was a moment ago, it waits for ever",
        names=[last.pk],
    )


def _ended_before(child: Model, parent: Subject) -> bool:
    return child.last_process_timestamp is not None and child.last_process_timestamp <= parent.since


def _one_level(subject: Subject, last: Model) -> str:
    if subject.rules.parents_climb or not Message.objects.filter(parent_msg_id=last.pk).exists():
        return ""
    return " by its own children, after which this hub does not look a level higher"


def _lost(subject: Subject, reason: Reason, why: str, *, names: Sequence[int] = ()) -> Explanation:
    words = "Cancel it; what its children did stays done."
    refused = "This hub allows no cancel in WAITING: its row must be corrected."
    advice = advise(subject, MessageAction.CANCEL, words=words, otherwise=refused)
    return explained(reason, f"{subject.lasting()}: {why}.", advice.words, names=names, then=advice.then)


def _ids(children: Sequence[Model]) -> list[int]:
    return [child.pk for child in children[:MOST_BLOCKERS]]


def _number(children: Sequence[Model]) -> str:
    more = len(children) > MOST_CHILDREN
    number = counted(min(len(children), MOST_CHILDREN), "child", more=more)
    return f"{number} {'is' if len(children) == 1 else 'are'}"


def _named(children: Sequence[Model]) -> str:
    """Write the first children with binding and state: message 7 (HARD) is FAILED."""
    named = [f"{_binding(child)} child {child.pk} is {child.state}" for child in children]
    return listed(named, more=len(children) > MOST_CHILDREN)


def _binding(child: Model) -> str:
    return "HARD" if is_hard(child) else "SOFT"


def _at(child: Model) -> str:
    return f"at {clock(child.last_process_timestamp)}" if child.last_process_timestamp else "some time ago"
