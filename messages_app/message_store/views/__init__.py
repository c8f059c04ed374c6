"""The pages of the message store."""

from messages_app.access.decorators import PageViews
from messages_app.core.lists.downloads import MAX_ROWS
from messages_app.core.store_pages import StorePages
from messages_app.message_store import registration
from messages_app.message_store.selectors.summary import FENCE

VIEWS = PageViews(registration.CAN_VIEW_STORE)
PAGES = StorePages(
    folder="message_store",
    sections={
        "message-store": "Overview",
        "store-messages": "Messages",
        "store-errors": "Errors",
        "store-missing": "Missing records",
        "source-definitions": "Definitions",
        "store-monitor": "Monitor",
    },
    rights={
        "may_reprocess": registration.CAN_REPROCESS,
        "may_change": registration.CAN_CHANGE_DEFINITIONS,
    },
    shared={"most": FENCE, "most_exported": MAX_ROWS},
)
