"""
Explanations of FAILED: the number of attempts, and the message that caused the failure.

Source: docs/spec/cleverbus.md, "Retries", "Repair", "Restart and cancel" point 1, "Parents and children".
"""

from messages_app.core.formatting import clock, counted
from messages_app.messages.diagnosis.advice import (
    ORDER_NOT_MET,
    STUCK_IN_PROCESSING,
    advise,
    after_blocker,
    code_and_meaning,
)
from messages_app.messages.diagnosis.children import (
    ARCHIVED,
    MOST_CHILDREN,
    Children,
    confirmation_note,
    hard,
)
from messages_app.messages.diagnosis.order import explain_order_failure, followers
from messages_app.messages.diagnosis.reasons import By, Explanation, NextStep, Reason, explained, step
from messages_app.messages.diagnosis.subject import Subject
from messages_app.messages.hub_columns import MessageColumns
from messages_app.shared.hub_defaults import TRIES_BEFORE_FAILED
from messages_app.shared.message_states import MessageAction, MessageState

_ALL_TRIES = TRIES_BEFORE_FAILED + 1
_ONE_MORE_TRY = (
    "The hub will not retry it. A restart gives it exactly one more attempt, because the count continues."
)
_CORRECT_FIRST = "Correct the cause, then restart it. Without a correction it will fail again."
# How many levels of children are searched for the cause.
_MOST_LEVELS = 20


def explain_failure(subject: Subject) -> Explanation:
    """Explain a message in FAILED."""
    code = subject.message.failed_error_code
    if code == ORDER_NOT_MET and subject.message.guaranteed_order:
        return explain_order_failure(subject)
    by_child = _by_child(subject)
    if by_child:
        return by_child
    if code == STUCK_IN_PROCESSING:
        return _after_repair(subject)
    if subject.message.failed_count > TRIES_BEFORE_FAILED:
        return _after_tries(subject)
    return _at_once(subject)


def _by_child(subject: Subject) -> Explanation | None:
    children = Children(subject.msg_id)
    culprits = _culprits(subject.message, children)
    if culprits:
        return _by_failed_child(subject, culprits)
    mended = [
        child
        for child in hard([*children.unfinished, *children.ok])
        if child.failed_error_code and _copied(subject.message, child)
    ]
    return _by_mended_child(subject, mended[0]) if mended else None


def _culprits(parent: MessageColumns, children: Children) -> list[MessageColumns]:
    """Return the HARD children whose error the parent has."""
    archived = [child for child in children.archived if child.state == MessageState.FAILED]
    return [child for child in hard([*children.failed, *archived]) if _copied(parent, child)]


def _copied(parent: MessageColumns, child: MessageColumns) -> bool:
    """Return whether the parent has the error of the child: the hub copies code and count."""
    return parent.failed_error_code in {None, child.failed_error_code} and parent.failed_count in {
        0,
        child.failed_count,
    }


def _by_failed_child(subject: Subject, culprits: list[MessageColumns]) -> Explanation:
    root = _root(culprits[0])
    through = "" if root.pk == culprits[0].pk else f", through its child {culprits[0].pk}"
    others = f"; {_counted_others(culprits)} also FAILED" if culprits[1:] else ""
    return explained(
        Reason.FAILED_BY_CHILD,
        f"FAILED at {clock(subject.since)} because HARD child {root.pk} FAILED with "
        f"{code_and_meaning(root.failed_error_code)}{through}{others}.",
        _repair_of_family(subject, root),
        followers(subject),
        blocked_by=[root.pk],
        names=[culprits[0].pk],
        then=after_blocker(subject, state=root.state, is_archived=isinstance(root, ARCHIVED)),
    )


def _counted_others(culprits: list[MessageColumns]) -> str:
    at_least = "at least " if len(culprits) > MOST_CHILDREN else ""
    return f"{at_least}{counted(len(culprits) - 1, 'other HARD child')}"


def _root(child: MessageColumns) -> MessageColumns:
    """Follow the failure down to the child that caused it."""
    seen = {child.pk}
    for _ in range(_MOST_LEVELS):
        deeper = [one for one in _culprits(child, Children(child.pk)) if one.pk not in seen]
        if not deeper:
            return child
        child = deeper[0]
        seen.add(child.pk)
    return child


def _repair_of_family(subject: Subject, root: MessageColumns) -> str:
    if isinstance(root, ARCHIVED):
        return f"Restore {root.pk} from the archive, then restart it."
    if subject.rules.parents_climb:
        return f"Restart {root.pk} first, then restart this parent: it does not become OK on its own."
    return f"Restart {root.pk}. When it and all other children are OK, the hub sets this parent to OK."


def _by_mended_child(subject: Subject, child: MessageColumns) -> Explanation:
    ended = child.state == MessageState.OK
    heals = not subject.rules.parents_climb
    words = "This parent did not become OK with it: restart it."
    advice = advise(subject, MessageAction.RESTART, words=words)
    return explained(
        Reason.FAILED_BY_CHILD,
        f"FAILED at {clock(subject.since)} because HARD child {child.pk} had FAILED with "
        f"{code_and_meaning(child.failed_error_code)}; that child is {child.state} now.",
        advice.words
        if ended
        else f"Wait for {child.pk} to finish{'' if heals else ', then restart this parent'}.",
        followers(subject),
        blocked_by=[] if ended else [child.pk],
        names=[child.pk],
        then=advice.then if ended else step(NextStep.CHILDREN, By.HUB),
    )


def _after_repair(subject: Subject) -> Explanation:
    before = counted(max(0, subject.message.failed_count - 1), "counted failure")
    why = f"it was stuck in PROCESSING after {before}, and the hub's repair gave up"
    return _own(subject, Reason.FAILED_AFTER_REPAIR, why, _ONE_MORE_TRY)


def _after_tries(subject: Subject) -> Explanation:
    extra = subject.message.failed_count - _ALL_TRIES
    more = f", and {counted(extra, 'more attempt')} after a restart" if extra else ""
    why = f"all {_ALL_TRIES} attempts failed{more}"
    return _own(subject, Reason.FAILED_AFTER_TRIES, why, _ONE_MORE_TRY)


def _at_once(subject: Subject) -> Explanation:
    count = subject.message.failed_count
    tries = f"{count} of {counted(_ALL_TRIES, 'attempt')} used" if count else "no attempt is counted"
    why = f"{tries}; the hub does not retry errors of this kind"
    return _own(subject, Reason.FAILED_AT_ONCE, why, _CORRECT_FIRST)


def _own(subject: Subject, reason: Reason, why: str, outlook: str) -> Explanation:
    """Explain a failure that no other message caused."""
    error = code_and_meaning(subject.message.failed_error_code)
    advice = advise(subject, MessageAction.RESTART, words=outlook)
    return explained(
        reason,
        f"FAILED with {error} at {clock(subject.since)}: {why}.",
        advice.words,
        followers(subject),
        confirmation_note(subject),
        then=advice.then,
    )
