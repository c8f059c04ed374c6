"""The functions of the message store that shared code calls."""

from messages_app.core.failure_sources import make_item_source
from messages_app.core.statements import Statements
from messages_app.core.store_functions import StoreFunctions
from messages_app.message_store.selectors import make_tile
from messages_app.message_store.services.line_repair import rebuild_lines
from messages_app.message_store.services.schemas import load_engine_if_needed
from messages_app.message_store.views.lists import look_up

FUNCTIONS = StoreFunctions(
    tiles={"store": make_tile},
    rebuilds={"store": rebuild_lines},
    warm_up=load_engine_if_needed,
    look_up=look_up,
    # Messages in error.
    failures=make_item_source(
        "message_store", Statements("messages_app.message_store"), new="new_errors", failing="lines_in_error"
    ),
)
