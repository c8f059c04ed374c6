"""
The rules that pages do not follow yet, by the address of the page without ids and query.

The list only becomes shorter: a page that follows a rule must be taken off it, and no page may be added.
"""

EXCEPTIONS: dict[str, set[str]] = {
    "/cp-queue/": {"row", "rows", "tabs and filters"},
    "/cp-queue/dispatches/": {"tabs and filters"},
    "/cp-queue/queue/": {"answer"},
    "/document-history/": {"tabs and filters"},
    "/message-store/messages/": {"answer", "rows", "tabs and filters"},
}
