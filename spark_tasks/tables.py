"""
The hub's tables that an archive run moves, children before parents: the one list of them.

Source: spec/cleverbus.md 7 (which rows are a message's own) and 8.1 (order of deletion).
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class HubTable:
    """
    One live table and its archive.

    Args:
        chosen: which rows go, as SQL over the ids of messages (msg_ids), requests (req_ids) and responses
            (res_ids) that the chunk has locked.
    """

    live: str
    archive: str
    chosen: str


HUB_TABLES = (
    HubTable(
        live="response",
        archive="archive_response",
        # A response goes with its request. One that names no request goes with its message.
        chosen="req_id = ANY (%(req_ids)s) OR (req_id IS NULL AND msg_id = ANY (%(msg_ids)s))"
        " OR res_id = ANY (%(res_ids)s)",
    ),
    HubTable(live="request", archive="archive_request", chosen="req_id = ANY (%(req_ids)s)"),
    HubTable(live="external_call", archive="archive_external_call", chosen="msg_id = ANY (%(msg_ids)s)"),
    HubTable(live="funnel", archive="archive_funnel", chosen="msg_id = ANY (%(msg_ids)s)"),
    HubTable(live="message", archive="archive_message", chosen="msg_id = ANY (%(msg_ids)s)"),
)
