"""What pages call verdicts, pairs of entries and doubts, and the colour and icon of each."""

from messages_app.document_history.states import InDoubtState, Pair, Verdict
from messages_app.drawing.badges import Badge

VERDICTS = {
    Verdict.NEW: Badge(Verdict.NEW, f"state-{Verdict.NEW}", "New", "It is processed."),
    Verdict.DUPLICATE: Badge(
        Verdict.DUPLICATE, "copy", "Duplicate", "It was processed before: acknowledged, not processed."
    ),
    Verdict.IN_DOUBT: Badge(
        Verdict.IN_DOUBT,
        "state-unknown",
        "In doubt",
        "Nothing can say whether it was processed: acknowledged, not processed, kept for a person.",
    ),
}
PAIRS = {
    Pair.BOTH: Badge("OK", "state-OK", "processed", "It began, and ran to an end, well or not."),
    Pair.PROCESSING_ONLY: Badge(
        "undetermined",
        "state-unknown",
        "undetermined",
        "It began and has not ended: it may still run, or have died. No table can tell.",
    ),
    Pair.COMPLETED_ONLY: Badge(
        "stopped", "state-OK", "completed only", "It ended after a sweep had taken the entry of its start."
    ),
}
DOUBTS = {
    InDoubtState.OPEN: Badge(Verdict.IN_DOUBT, "state-unknown", "open", "Nobody has decided."),
    InDoubtState.RESUBMITTED: Badge(
        Verdict.NEW, "restart", "resubmitted", "It is to be processed after all."
    ),
    InDoubtState.SETTLED: Badge("done", "check", "settled", "Somebody said that it was processed."),
}
