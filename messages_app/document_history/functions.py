"""The functions of the document history that shared code calls."""

from messages_app.core.failure_sources import make_item_source
from messages_app.core.statements import Statements
from messages_app.core.store_functions import StoreFunctions
from messages_app.document_history.document_lookup import look_up
from messages_app.document_history.selectors import count_in_doubt, make_tile
from messages_app.document_history.services.resolvers import unavailable_resolvers
from messages_app.document_history.services.sweep import rebuild_open_documents
from messages_app.document_history.services.triggers import is_trigger_id
from messages_app.document_history.states import Verdict

FUNCTIONS = StoreFunctions(
    tiles={"documents": make_tile},
    rebuilds={"documents": rebuild_open_documents},
    checks={"resolvers": unavailable_resolvers},
    name_checks={"trigger": is_trigger_id},
    drawn=[Verdict],
    look_up=look_up,
    # Open documents in doubt.
    failures=make_item_source(
        "document_history",
        Statements("messages_app.document_history"),
        new="new_in_doubt",
        failing="open_in_doubt",
    ),
    menu_counts={"in_doubt": count_in_doubt},
)
