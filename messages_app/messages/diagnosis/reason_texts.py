"""
The texts of the reasons of explanations, in the order of the rules: a message has the code of the first one
whose condition is true. The reference of the manual is generated from this list.

Source of the rules: docs/contributing/spec/cleverbus.md.
"""

from typing import NamedTuple

from messages_app.messages.diagnosis.reasons import Reason


class ReasonText(NamedTuple):
    """
    Markdown about one reason.

    Args:
        meaning: a sentence.
        when: its condition, after those of all reasons before it.
        similar: similar cases with their codes; empty: none.
    """

    meaning: str
    when: str
    similar: str = ""


REASON_TEXTS = {
    Reason.UNKNOWN_STATE: ReasonText(
        meaning="A state that the console does not know.", when="any state except the ten known ones"
    ),
    Reason.ARCHIVED_UNFINISHED: ReasonText(
        meaning="Archived before it was finished.", when="in the archive, and not OK, FAILED or CANCEL"
    ),
    Reason.NEVER_PICKED_UP: ReasonText(
        meaning="The hub will never pick it up in this state.",
        when="PARTLY_FAILED or POSTPONED with `last_process_timestamp` NULL; CleverBus: NEW and IN_QUEUE",
    ),
    Reason.NEVER_REPAIRED: ReasonText(
        meaning="It has no start time, so the hub's repair never finds it.",
        when="a state that the repair reads, `start_process_timestamp` is NULL",
    ),
    Reason.ORDER_WITHOUT_VALUE: ReasonText(
        meaning="Its order is guaranteed but it has no funnel value: every attempt fails.",
        when="`guaranteed_order`, and neither a row in `funnel` nor `funnel_value`; not finished",
        similar="with a value: the order's own codes",
    ),
    Reason.STUCK: ReasonText(
        meaning="It started long ago, so the hub's repair will step in.",
        when=(
            "PROCESSING (OpenHub: NEW and IN_QUEUE too), started more than 300 s ago. `becomes` is FAILED"
            " (E116) with three failures counted, else PARTLY_FAILED"
        ),
        similar="exactly 300 s: not yet",
    ),
    Reason.NOT_TAKEN_YET: ReasonText(
        meaning="Stored; the hub has not picked it up yet.",
        when="NEW, OpenHub, started no more than 300 s ago",
        similar="past 300 s: `stuck`; in CleverBus: `never_picked_up`",
    ),
    Reason.IN_QUEUE: ReasonText(
        meaning="A node of the hub has reserved it and will start it.",
        when="IN_QUEUE, OpenHub, started no more than 300 s ago",
        similar="as above",
    ),
    Reason.PROCESSING: ReasonText(
        meaning="The hub is processing it.",
        when="PROCESSING, started no more than 300 s ago",
        similar="past 300 s: `stuck`",
    ),
    Reason.ORDER_TIME_OVER: ReasonText(
        meaning="Not first in its guaranteed order for too long: the next check sets it to FAILED.",
        when=(
            "like `held_by_order`, and at the next check its receipt will be more than 300 s ago; `becomes`"
            " FAILED (E121)"
        ),
        similar="the check comes sooner: the next two codes",
    ),
    Reason.HELD_BY_FAILED_ORDER: ReasonText(
        meaning="An earlier message in its guaranteed order FAILED.",
        when="like `held_by_order`, and the first of the order is FAILED",
        similar="`exclude_failed_state` on the waiting message: FAILED ones do not count",
    ),
    Reason.HELD_BY_ORDER: ReasonText(
        meaning="An earlier message in its guaranteed order is not finished.",
        when=(
            "PARTLY_FAILED or POSTPONED with `guaranteed_order`; an earlier message with `guaranteed_order`"
            " and a shared value is unfinished, whenever it started and whatever its component."
            " `blocked_by`: the first of the order"
        ),
        similar="the other is OK, CANCEL, later, or has no `guaranteed_order`",
    ),
    Reason.STARVED_BY_POSTPONED: ReasonText(
        meaning="Due, but this hub picks up POSTPONED messages first, and some are due.",
        when=(
            "CleverBus: PARTLY_FAILED, due for more than 60 s, and POSTPONED messages are due, some of"
            " which the hub has checked in the last two minutes"
        ),
        similar="OpenHub, or no such messages, or the hub does not check them: `retry_overdue`",
    ),
    Reason.POSTPONED_WITHOUT_CAUSE: ReasonText(
        meaning="POSTPONED; the hub did not record why.",
        when=(
            "POSTPONED with no funnel value and no guaranteed order, however long it has been due. Due for"
            " more than 120 s, `next` is `check_hub`"
        ),
        similar="with a funnel value: the codes below",
    ),
    Reason.POSTPONES_ITSELF: ReasonText(
        meaning="It has several funnel values and blocks itself.",
        when="CleverBus: POSTPONED with two or more rows in `funnel`",
        similar="OpenHub, or one row",
    ),
    Reason.HELD_BY_FUNNEL: ReasonText(
        meaning="Another message with its funnel value is being processed.",
        when=(
            "POSTPONED, and another message shares a value, is PROCESSING, WAITING or WAITING_FOR_RES"
            " (OpenHub: NEW and IN_QUEUE too), started at most 600 s ago, and has the same component"
            " (OpenHub: any). `blocked_by`: the holders"
        ),
        similar="PARTLY_FAILED, POSTPONED and FAILED do not block",
    ),
    Reason.BEHIND_IN_LINE: ReasonText(
        meaning="Its funnel is free, but an earlier message in line goes first.",
        when=(
            "POSTPONED, no message holds its value, and another POSTPONED message of the line has an"
            " earlier `msg_timestamp`. `blocked_by`: the first of the line"
        ),
        similar="the first of the line: `free_to_go`",
    ),
    Reason.PERHAPS_HELD_BY_FUNNEL_ORDER: ReasonText(
        meaning="Its funnel is free; if the funnel keeps order, an earlier message goes first.",
        when=(
            "POSTPONED, first of its line, but a PARTLY_FAILED or FAILED message of its component and value"
            " is earlier and started in the last 600 s. No table records whether a funnel keeps order, so"
            " `blocked_by` is empty"
        ),
        similar="another component, or started before that: `free_to_go`",
    ),
    Reason.RETRY_OVERDUE: ReasonText(
        meaning="Due for minutes and not blocked, but the hub has not picked it up.",
        when="PARTLY_FAILED, or POSTPONED with a funnel value; nothing holds it, due for more than 120 s",
        similar="up to 120 s: it waits for the poll",
    ),
    Reason.RESTARTED: ReasonText(
        meaning="An operator restarted it; the hub will pick it up.",
        when="PARTLY_FAILED, and the last change of state was an operator's; due for no more than 120 s",
        similar="the hub changed it later: `waits_for_retry`",
    ),
    Reason.WAITS_FOR_RETRY: ReasonText(
        meaning="An attempt failed; the hub will retry.",
        when=(
            "PARTLY_FAILED, due for no more than 120 s: not before 60 s after its last change, then at a"
            " poll, which comes every 60 s"
        ),
        similar="changed by an operator: `restarted`",
    ),
    Reason.FREE_TO_GO: ReasonText(
        meaning="It was postponed; now nothing blocks it, and the hub will pick it up.",
        when=(
            "POSTPONED, due for no more than 120 s, and no message holds its value now; messages still"
            " running started more than 600 s ago"
        ),
        similar="600 s or less: `held_by_funnel`",
    ),
    Reason.WILL_WAIT_FOR_EVER: ReasonText(
        meaning="A parent with a child that did not end OK: it will wait forever.",
        when="WAITING with an unfinished HARD child, and another child is CANCEL or FAILED",
    ),
    Reason.WAITS_FOR_UNANSWERED_CHILD: ReasonText(
        meaning="A parent whose last children wait for a response.",
        when="WAITING, all unfinished HARD children are WAITING_FOR_RES",
        similar="one of them is not",
    ),
    Reason.WAITS_FOR_CHILDREN: ReasonText(
        meaning="A parent whose children are not finished.",
        when="WAITING with an unfinished HARD child. `blocked_by`: the unfinished children",
        similar="only SOFT ones unfinished: `waits_for_soft_child`",
    ),
    Reason.WAITS_FOR_CANCELLED_CHILD: ReasonText(
        meaning="A parent that waits forever: a child was cancelled.",
        when="WAITING, no HARD child unfinished, one is CANCEL",
        similar="the cancelled one is SOFT: `waits_for_soft_child`",
    ),
    Reason.WAITS_FOR_FAILED_CHILD: ReasonText(
        meaning="A parent that waits forever: a child FAILED and the parent was not notified.",
        when="WAITING, no HARD child unfinished, one is FAILED",
    ),
    Reason.WAITS_FOR_SOFT_CHILD: ReasonText(
        meaning="A parent that waits forever: a SOFT child ended last or is not OK.",
        when=(
            "WAITING, the HARD children are OK, and a SOFT one is not OK or ended after the last HARD one."
            " NULL counts as SOFT"
        ),
        similar="a HARD one ended last: `children_all_ok`",
    ),
    Reason.WAITS_WITHOUT_CHILDREN: ReasonText(
        meaning="A parent that waits forever: it has no children.",
        when="WAITING, no message names it as parent, live or archived",
    ),
    Reason.WAITS_WITH_ONLY_SOFT_CHILDREN: ReasonText(
        meaning="A parent that waits forever: all its children are SOFT.",
        when="WAITING, all its children are SOFT or have no binding",
    ),
    Reason.WAITS_FOR_ARCHIVED_CHILD: ReasonText(
        meaning="A parent that waits forever: a child was archived meanwhile.",
        when="WAITING, no child unfinished or failed, and at least one is in the archive",
    ),
    Reason.CHILDREN_ENDED_TOO_EARLY: ReasonText(
        meaning="A parent that waits forever: its children ended before it began to wait.",
        when="OpenHub: WAITING, all children are OK, and the last ended before the parent began to wait",
        similar="it ended later, or CleverBus: `children_all_ok`",
    ),
    Reason.CHILDREN_ALL_OK: ReasonText(
        meaning="A parent whose children are all OK, but the hub has not checked it.",
        when=(
            "WAITING, all children are OK, a HARD one ended last. In CleverBus also the parent of a parent:"
            " the hub checks only one level up"
        ),
    ),
    Reason.RESPONSE_OVERDUE: ReasonText(
        meaning="It has waited for a response for more than an hour.",
        when="WAITING_FOR_RES for more than an hour",
        similar="exactly an hour: not yet",
    ),
    Reason.WAITS_FOR_RESPONSE: ReasonText(
        meaning="It waits for a response from another system.", when="WAITING_FOR_RES for up to an hour"
    ),
    Reason.FAILED_IN_ORDER: ReasonText(
        meaning="FAILED because an earlier message in its order was not finished (E121).",
        when=(
            "FAILED with E121 and `guaranteed_order`. `blocked_by`: the root, the first of the order; empty"
            " if no message is before it now"
        ),
        similar="E121 without `guaranteed_order`: `failed_at_once`",
    ),
    Reason.FAILED_BY_CHILD: ReasonText(
        meaning="A parent that FAILED because a HARD child did.",
        when=(
            "FAILED with the code and count of a HARD child that FAILED. `blocked_by`: the child,"
            " grandchild and so on that failed first"
        ),
        similar="a SOFT child, or another code: the parent's own failure",
    ),
    Reason.FAILED_AFTER_REPAIR: ReasonText(
        meaning="FAILED because it was stuck in PROCESSING too often (E116).", when="FAILED with E116"
    ),
    Reason.FAILED_AFTER_TRIES: ReasonText(
        meaning="FAILED after its last attempt.",
        when="FAILED with `failed_count` of 4 or more",
        similar="3 or less: `failed_at_once`",
    ),
    Reason.FAILED_AT_ONCE: ReasonText(
        meaning="FAILED with an error that the hub does not retry.",
        when="FAILED with `failed_count` of 3 or less",
    ),
    Reason.CANCEL_REQUESTED: ReasonText(
        meaning="Cancelled while the hub processed it; the hub may still overwrite the cancel.",
        when="CANCEL out of PROCESSING, WAITING or WAITING_FOR_RES in the last 300 s",
        similar="out of another state, or longer ago: `cancelled`",
    ),
    Reason.CANCELLED: ReasonText(
        meaning="Cancelled.", when="CANCEL; user and time from the state history, if recorded"
    ),
    Reason.CANCEL_OVERTAKEN: ReasonText(
        meaning="It was cancelled, but the hub finished it.",
        when="OK, an operator's last change was a cancel, and the hub changed the state after it",
    ),
    Reason.CONFIRMATION_GIVEN_UP: ReasonText(
        meaning="OK; the hub gave up notifying the source system.",
        when="OK, its external call `confirmation` is FAILED_END",
    ),
    Reason.CONFIRMATION_FAILING: ReasonText(
        meaning="OK; the source system has not been notified yet.",
        when="OK, its external call `confirmation` is FAILED",
    ),
    Reason.CALL_PROBABLY_SKIPPED: ReasonText(
        meaning="OK, but a call was probably skipped: a newer message had made it.",
        when=(
            "OK; a message of the same object, service and operation that is not older owns a call whose"
            " key names the object, made by it or ended before this one started"
        ),
        similar="the call was made after this one ended: not reported",
    ),
    Reason.CALL_PROBABLY_TAKEN_OVER: ReasonText(
        meaning="OK; a newer message has probably taken over one of its calls.",
        when="the same, but the row of the call is older than that message",
    ),
    Reason.DONE_AFTER_FAILURES: ReasonText(
        meaning="OK after failed attempts; its error is from an earlier attempt.",
        when="OK with a failure counted or an error code",
    ),
    Reason.DONE: ReasonText(meaning="OK.", when="OK"),
}
