"""The functions of the store of the hub's messages that shared code calls."""

from messages_app.core.store_functions import StoreFunctions
from messages_app.messages.attachment import missing_indexes, refusal_of_denied, time_zone
from messages_app.messages.failures.incident_source import FAILURES
from messages_app.messages.funnels.selectors import count_long_held
from messages_app.messages.id_lookup import look_up
from messages_app.messages.suspension import refusal_while_suspended
from messages_app.messages.timeline.history_gaps import rebuild_history
from messages_app.shared.message_states import ExternalCallState, MessageState

FUNCTIONS = StoreFunctions(
    rebuilds={"messages": rebuild_history},
    drawn=[MessageState, ExternalCallState],
    look_up=look_up,
    explain_denial=refusal_of_denied,
    explain_absence=refusal_while_suspended,
    explain_slowness=missing_indexes,
    failures=FAILURES,
    menu_counts={"funnels": count_long_held},
    time_zone=time_zone,
)
