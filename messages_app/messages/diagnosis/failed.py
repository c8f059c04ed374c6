"""
Explanations of FAILED: the number of attempts, and the message that caused the failure.

Source: docs/contributing/spec/cleverbus.md, "Retries", "Repair", "Restart and cancel" point 1, "Parents and
children".
"""

from messages_app.core.formatting import count_of, format_moment
from messages_app.messages.diagnosis.advice import advise_action, blocker_step
from messages_app.messages.diagnosis.children import ARCHIVED, MAX_CHILDREN, Children, filter_hard
from messages_app.messages.diagnosis.confirmations import write_confirmation_note
from messages_app.messages.diagnosis.error_codes import ORDER_NOT_MET, STUCK_IN_PROCESSING, describe_code
from messages_app.messages.diagnosis.explanation import Explanation, build_explanation, make_step
from messages_app.messages.diagnosis.order import explain_order_failure, write_followers
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason
from messages_app.messages.diagnosis.subject import Subject
from messages_app.messages.hub_columns import MessageColumns
from messages_app.shared.message_states import MessageAction, MessageState

_ONE_MORE_ATTEMPT = (
    "The hub will not retry it. A restart gives it exactly one more attempt, because the count continues."
)
_CORRECT_FIRST = "Correct the cause, then restart it. Without a correction it will fail again."
# How many levels of children are searched for the cause.
_MAX_LEVELS = 20


def explain_failure(subject: Subject) -> Explanation:
    """Explain a message in FAILED."""
    code = subject.message.failed_error_code
    if code == ORDER_NOT_MET and subject.message.guaranteed_order:
        return explain_order_failure(subject)
    by_child = _explain_by_child(subject)
    if by_child:
        return by_child
    if code == STUCK_IN_PROCESSING:
        return _explain_after_repair(subject)
    if subject.message.failed_count > subject.times.tries_before_failed:
        return _explain_after_attempts(subject)
    return _explain_without_retry(subject)


def _explain_by_child(subject: Subject) -> Explanation | None:
    children = Children(subject.msg_id)
    culprits = _find_culprits(subject.message, children)
    if culprits:
        return _explain_failed_child(subject, culprits)
    recovered = [
        child
        for child in filter_hard([*children.unfinished, *children.ok])
        if child.failed_error_code and _has_same_error(subject.message, child)
    ]
    return _explain_recovered_child(subject, recovered[0]) if recovered else None


def _find_culprits(parent: MessageColumns, children: Children) -> list[MessageColumns]:
    """Return the FAILED HARD children with the same error as the parent."""
    archived = [child for child in children.archived if child.state == MessageState.FAILED]
    return [child for child in filter_hard([*children.failed, *archived]) if _has_same_error(parent, child)]


def _has_same_error(parent: MessageColumns, child: MessageColumns) -> bool:
    """Return whether the parent has the error of the child. The hub copies the code and the count."""
    return parent.failed_error_code in {None, child.failed_error_code} and parent.failed_count in {
        0,
        child.failed_count,
    }


def _explain_failed_child(subject: Subject, culprits: list[MessageColumns]) -> Explanation:
    root = _find_root(subject, culprits[0])
    through = "" if root.pk == culprits[0].pk else f", through its child {culprits[0].pk}"
    others = f"; {_count_others(culprits)} also FAILED" if culprits[1:] else ""
    return build_explanation(
        Reason.FAILED_BY_CHILD,
        f"FAILED at {format_moment(subject.since)} because HARD child {root.pk} FAILED with "
        f"{describe_code(root.failed_error_code)}{through}{others}.",
        _write_repair(subject, root),
        write_followers(subject),
        blocked_by=[root.pk],
        names=[culprits[0].pk],
        next_step=blocker_step(subject, state=root.state, is_archived=isinstance(root, ARCHIVED)),
    )


def _count_others(culprits: list[MessageColumns]) -> str:
    at_least = "at least " if len(culprits) > MAX_CHILDREN else ""
    return f"{at_least}{count_of(len(culprits) - 1, 'other HARD child')}"


def _find_root(subject: Subject, child: MessageColumns) -> MessageColumns:
    """Follow the failure down to the child that caused it. In a cycle, the message itself is not a cause."""
    for _ in range(_MAX_LEVELS):
        deeper = [each for each in _find_culprits(child, Children(child.pk)) if each.pk != subject.msg_id]
        if not deeper:
            return child
        child = deeper[0]
    return child


def _write_repair(subject: Subject, root: MessageColumns) -> str:
    if isinstance(root, ARCHIVED):
        return f"Restore {root.pk} from the archive, then restart it."
    if subject.rules.parents_climb:
        return f"Restart {root.pk} first, then restart this parent: it does not become OK on its own."
    return f"Restart {root.pk}. When it and all other children are OK, the hub sets this parent to OK."


def _explain_recovered_child(subject: Subject, child: MessageColumns) -> Explanation:
    ended = child.state == MessageState.OK
    parent_recovers = not subject.rules.parents_climb
    text = "This parent did not become OK with it: restart it."
    advice = advise_action(subject, MessageAction.RESTART, text=text)
    return build_explanation(
        Reason.FAILED_BY_CHILD,
        f"FAILED at {format_moment(subject.since)} because HARD child {child.pk} had FAILED with "
        f"{describe_code(child.failed_error_code)}; that child is {child.state} now.",
        advice.text
        if ended
        else f"Wait for {child.pk} to finish{'' if parent_recovers else ', then restart this parent'}.",
        write_followers(subject),
        blocked_by=[] if ended else [child.pk],
        names=[child.pk],
        next_step=advice.next_step if ended else make_step(NextStep.CHILDREN, By.HUB),
    )


def _explain_after_repair(subject: Subject) -> Explanation:
    before = count_of(max(0, subject.message.failed_count - 1), "counted failure")
    why = f"it was stuck in PROCESSING after {before}, and the hub's repair gave up"
    return _explain_own_failure(subject, Reason.FAILED_AFTER_REPAIR, why, _ONE_MORE_ATTEMPT)


def _explain_after_attempts(subject: Subject) -> Explanation:
    extra = subject.message.failed_count - subject.times.attempts
    more = f", and {count_of(extra, 'more attempt')} after a restart" if extra else ""
    why = f"all {subject.times.attempts} attempts failed{more}"
    return _explain_own_failure(subject, Reason.FAILED_AFTER_TRIES, why, _ONE_MORE_ATTEMPT)


def _explain_without_retry(subject: Subject) -> Explanation:
    count = subject.message.failed_count
    limit = count_of(subject.times.attempts, "attempt")
    attempts = f"{count} of {limit} used" if count else "no attempt is counted"
    why = f"{attempts}; the hub does not retry errors of this kind"
    return _explain_own_failure(subject, Reason.FAILED_AT_ONCE, why, _CORRECT_FIRST)


def _explain_own_failure(subject: Subject, reason: Reason, why: str, outlook: str) -> Explanation:
    """Explain a failure that no other message caused."""
    error = describe_code(subject.message.failed_error_code)
    advice = advise_action(subject, MessageAction.RESTART, text=outlook)
    return build_explanation(
        reason,
        f"FAILED with {error} at {format_moment(subject.since)}: {why}.",
        advice.text,
        write_followers(subject),
        write_confirmation_note(subject),
        next_step=advice.next_step,
    )
