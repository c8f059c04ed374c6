"""
The reasons and next steps of explanations: the only list of the codes, with their meanings.

The API publishes the codes, and docs/reference/explain.md describes them in detail. Codes can be added, but
not renamed. Source of the rules: docs/contributing/spec/cleverbus.md.
"""

from enum import StrEnum


class Reason(StrEnum):
    # Not started, or in progress.
    NOT_TAKEN_YET = "not_taken_yet"
    IN_QUEUE = "in_queue"
    PROCESSING = "processing"
    STUCK = "stuck"
    NEVER_REPAIRED = "never_repaired"
    NEVER_PICKED_UP = "never_picked_up"
    ORDER_WITHOUT_VALUE = "order_without_value"
    # Waiting for the hub's next poll.
    WAITS_FOR_RETRY = "waits_for_retry"
    RESTARTED = "restarted"
    STARVED_BY_POSTPONED = "starved_by_postponed"
    RETRY_OVERDUE = "retry_overdue"
    FREE_TO_GO = "free_to_go"
    # Blocked by another message.
    HELD_BY_FUNNEL = "held_by_funnel"
    BEHIND_IN_LINE = "behind_in_line"
    PERHAPS_HELD_BY_FUNNEL_ORDER = "perhaps_held_by_funnel_order"
    POSTPONES_ITSELF = "postpones_itself"
    POSTPONED_WITHOUT_CAUSE = "postponed_without_cause"
    HELD_BY_ORDER = "held_by_order"
    HELD_BY_FAILED_ORDER = "held_by_failed_order"
    ORDER_TIME_OVER = "order_time_over"
    # A parent that waits.
    WAITS_FOR_CHILDREN = "waits_for_children"
    WAITS_FOR_UNANSWERED_CHILD = "waits_for_unanswered_child"
    WILL_WAIT_FOR_EVER = "will_wait_for_ever"
    WAITS_FOR_CANCELLED_CHILD = "waits_for_cancelled_child"
    WAITS_FOR_FAILED_CHILD = "waits_for_failed_child"
    WAITS_FOR_SOFT_CHILD = "waits_for_soft_child"
    WAITS_WITH_ONLY_SOFT_CHILDREN = "waits_with_only_soft_children"
    WAITS_WITHOUT_CHILDREN = "waits_without_children"
    WAITS_FOR_ARCHIVED_CHILD = "waits_for_archived_child"
    CHILDREN_ENDED_TOO_EARLY = "children_ended_too_early"
    CHILDREN_ALL_OK = "children_all_ok"
    # Waiting for another system.
    WAITS_FOR_RESPONSE = "waits_for_response"
    RESPONSE_OVERDUE = "response_overdue"
    # Failed permanently.
    FAILED_BY_CHILD = "failed_by_child"
    FAILED_IN_ORDER = "failed_in_order"
    FAILED_AFTER_REPAIR = "failed_after_repair"
    FAILED_AFTER_TRIES = "failed_after_tries"
    FAILED_AT_ONCE = "failed_at_once"
    # Cancelled.
    CANCELLED = "cancelled"
    CANCEL_REQUESTED = "cancel_requested"
    # Completed.
    CANCEL_OVERTAKEN = "cancel_overtaken"
    CONFIRMATION_FAILING = "confirmation_failing"
    CONFIRMATION_GIVEN_UP = "confirmation_given_up"
    CALL_PROBABLY_SKIPPED = "call_probably_skipped"
    CALL_PROBABLY_TAKEN_OVER = "call_probably_taken_over"
    DONE_AFTER_FAILURES = "done_after_failures"
    DONE = "done"
    # Other.
    ARCHIVED_UNFINISHED = "archived_unfinished"
    UNKNOWN_STATE = "unknown_state"


MEANINGS = {
    Reason.NOT_TAKEN_YET: "Stored; the hub has not picked it up yet.",
    Reason.IN_QUEUE: "A node of the hub has reserved it and will start it.",
    Reason.PROCESSING: "The hub is processing it.",
    Reason.STUCK: "It started long ago, so the hub's repair will step in.",
    Reason.NEVER_REPAIRED: "It has no start time, so the hub's repair never finds it.",
    Reason.NEVER_PICKED_UP: "The hub will never pick it up in this state.",
    Reason.ORDER_WITHOUT_VALUE: "Its order is guaranteed but it has no funnel value: every attempt fails.",
    Reason.WAITS_FOR_RETRY: "An attempt failed; the hub will retry.",
    Reason.RESTARTED: "An operator restarted it; the hub will pick it up.",
    Reason.STARVED_BY_POSTPONED: "Due, but this hub picks up POSTPONED messages first, and some are due.",
    Reason.RETRY_OVERDUE: "Due for minutes and not blocked, but the hub has not picked it up.",
    Reason.FREE_TO_GO: "It was postponed; now nothing blocks it, and the hub will pick it up.",
    Reason.HELD_BY_FUNNEL: "Another message with its funnel value is being processed.",
    Reason.BEHIND_IN_LINE: "Its funnel is free, but an earlier message in line goes first.",
    Reason.PERHAPS_HELD_BY_FUNNEL_ORDER: (
        "Its funnel is free; if the funnel keeps order, an earlier message goes first."
    ),
    Reason.POSTPONES_ITSELF: "It has several funnel values and blocks itself.",
    Reason.POSTPONED_WITHOUT_CAUSE: "POSTPONED; the hub did not record why.",
    Reason.HELD_BY_ORDER: "An earlier message in its guaranteed order is not finished.",
    Reason.HELD_BY_FAILED_ORDER: "An earlier message in its guaranteed order FAILED.",
    Reason.ORDER_TIME_OVER: (
        "Not first in its guaranteed order for too long: the next check sets it to FAILED."
    ),
    Reason.WAITS_FOR_CHILDREN: "A parent whose children are not finished.",
    Reason.WAITS_FOR_UNANSWERED_CHILD: "A parent whose last children wait for a response.",
    Reason.WILL_WAIT_FOR_EVER: "A parent with a child that did not end OK: it will wait forever.",
    Reason.WAITS_FOR_CANCELLED_CHILD: "A parent that waits forever: a child was cancelled.",
    Reason.WAITS_FOR_FAILED_CHILD: (
        "A parent that waits forever: a child FAILED and the parent was not notified."
    ),
    Reason.WAITS_FOR_SOFT_CHILD: "A parent that waits forever: a SOFT child ended last or is not OK.",
    Reason.WAITS_WITH_ONLY_SOFT_CHILDREN: "A parent that waits forever: all its children are SOFT.",
    Reason.WAITS_WITHOUT_CHILDREN: "A parent that waits forever: it has no children.",
    Reason.WAITS_FOR_ARCHIVED_CHILD: "A parent that waits forever: a child was archived meanwhile.",
    Reason.CHILDREN_ENDED_TOO_EARLY: (
        "A parent that waits forever: its children ended before it began to wait."
    ),
    Reason.CHILDREN_ALL_OK: "A parent whose children are all OK, but the hub has not checked it.",
    Reason.WAITS_FOR_RESPONSE: "It waits for a response from another system.",
    Reason.RESPONSE_OVERDUE: "It has waited for a response for more than an hour.",
    Reason.FAILED_BY_CHILD: "A parent that FAILED because a HARD child did.",
    Reason.FAILED_IN_ORDER: "FAILED because an earlier message in its order was not finished (E121).",
    Reason.FAILED_AFTER_REPAIR: "FAILED because it was stuck in PROCESSING too often (E116).",
    Reason.FAILED_AFTER_TRIES: "FAILED after its last attempt.",
    Reason.FAILED_AT_ONCE: "FAILED with an error that the hub does not retry.",
    Reason.CANCELLED: "Cancelled.",
    Reason.CANCEL_REQUESTED: "Cancelled while the hub processed it; the hub may still overwrite the cancel.",
    Reason.CANCEL_OVERTAKEN: "It was cancelled, but the hub finished it.",
    Reason.CONFIRMATION_FAILING: "OK; the source system has not been notified yet.",
    Reason.CONFIRMATION_GIVEN_UP: "OK; the hub gave up notifying the source system.",
    Reason.CALL_PROBABLY_SKIPPED: "OK, but a call was probably skipped: a newer message had made it.",
    Reason.CALL_PROBABLY_TAKEN_OVER: "OK; a newer message has probably taken over one of its calls.",
    Reason.DONE_AFTER_FAILURES: "OK after failed attempts; its error is from an earlier attempt.",
    Reason.DONE: "OK.",
    Reason.ARCHIVED_UNFINISHED: "Archived before it was finished.",
    Reason.UNKNOWN_STATE: "A state that the console does not know.",
}


class NextStep(StrEnum):
    ROUTE = "route"
    REPAIR = "repair"
    POLL = "poll"
    CHILDREN = "children"
    ANSWER = "answer"
    CONFIRMATION = "confirmation"
    RESTART = "restart"
    RESTART_BLOCKER = "restart_blocker"
    RESTORE_BLOCKER = "restore_blocker"
    BLOCKER_ENDS = "blocker_ends"
    CANCEL = "cancel"
    CHASE_ANSWER = "chase_answer"
    CHECK_HUB = "check_hub"
    CHECK_TARGET = "check_target"
    CORRECT = "correct"
    RESTORE = "restore"
    NOTHING = "nothing"


NEXT_MEANINGS = {
    NextStep.ROUTE: "The hub starts it, or its route ends.",
    NextStep.REPAIR: "The hub's repair sets it to the state in `becomes`.",
    NextStep.POLL: "The hub's poll checks it again.",
    NextStep.CHILDREN: "A child ends, and the hub checks the parent.",
    NextStep.ANSWER: "The other system responds.",
    NextStep.CONFIRMATION: "The hub retries the notification of the source system.",
    NextStep.RESTART: "An operator restarts this message.",
    NextStep.RESTART_BLOCKER: "An operator restarts the messages in `blocked_by` first.",
    NextStep.RESTORE_BLOCKER: "An operator restores the messages in `blocked_by` from the archive first.",
    NextStep.BLOCKER_ENDS: "The messages in `blocked_by` end first; no operator action is needed until then.",
    NextStep.CANCEL: "An operator cancels it.",
    NextStep.CHASE_ANSWER: "An operator asks the other system for its response.",
    NextStep.CHECK_HUB: "An operator checks that the hub is running.",
    NextStep.CHECK_TARGET: "An operator checks in the other system what was done there.",
    NextStep.CORRECT: "Someone corrects the hub's tables or its route; neither the hub nor the console can.",
    NextStep.RESTORE: "An operator restores it from the archive first.",
    NextStep.NOTHING: "Nothing: it is finished.",
}


class By(StrEnum):
    HUB = "hub"
    OPERATOR = "operator"
    OUTSIDE = "outside"
    NOBODY = "nobody"
