"""
The reasons and next steps of explanations: the only list of the codes. `reason_texts.py` has the texts of the
reasons.

The API and the manual publish the codes. Codes can be added, but not renamed. Source of the rules:
docs/contributing/spec/cleverbus.md.
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
