"""The colours of a group's states on pages: those of jobs have them (static/css/tokens.css)."""

from messages_app.messages.failing.states import GroupState

TONES = {
    GroupState.NEW: "failed",
    GroupState.REGRESSED: "failed",
    GroupState.KNOWN: "planned",
    GroupState.SNOOZED: "paused",
    GroupState.FIXED: "done",
}
