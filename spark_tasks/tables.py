"""
The hub's tables that an archive run moves, children before parents: the only list of them.

Source: docs/contributing/spec/cleverbus.md, "Requests and responses" (which rows belong to a message),
"Archive procedures" (order of deletion).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

MESSAGE, EXTERNAL_CALL, REQUEST, RESPONSE = "message", "external_call", "request", "response"

# The key of archive tables that are partitioned by month; the live tables have no such column.
ARCHIVED_AT = "archived_at"

_OF_MESSAGES = "msg_id = ANY (%(msg_ids)s)"


@dataclass(frozen=True, kw_only=True)
class Behind:
    """
    The tables of an attached hub behind the views of their rows, by quoted names with their schemas.

    Args:
        archive: the archive table, of the hub or of the console; None if the hub has no archive tables.
        zone: the time zone of the hub's times.
        extra: columns of `live` that `archive` lacks. The console keeps their values in archive_extra.
        returns: rows move back from the archive; the names of both tables are exchanged.
    """

    live: str
    archive: str | None
    zone: str
    extra: tuple[str, ...] = ()
    returns: bool = False


@dataclass(frozen=True, kw_only=True)
class HubTable:
    """
    One live table and its archive.

    Args:
        key: its primary key, a whole number.
        chosen: the rows to move, as SQL over the ids of messages (msg_ids), requests (req_ids) and responses
            (res_ids) that the chunk has locked.
        behind: the tables of an attached hub, of which `live` and `archive` are views; None: they are tables.
    """

    live: str
    archive: str
    key: str
    chosen: str
    behind: Behind | None = None

    def mirror_table(self) -> "HubTable":
        """Return the same table for rows that move back from the archive."""
        behind = self.behind
        if behind and behind.archive:
            behind = replace(behind, live=behind.archive, archive=behind.live, returns=True)
        return replace(self, live=self.archive, archive=self.live, behind=behind)


HUB_TABLES = (
    HubTable(
        live="response",
        archive="archive_response",
        key="res_id",
        # A response moves with its request. One that names no request moves with its message.
        chosen="req_id = ANY (%(req_ids)s) OR (req_id IS NULL AND msg_id = ANY (%(msg_ids)s))"
        " OR res_id = ANY (%(res_ids)s)",
    ),
    HubTable(live="request", archive="archive_request", key="req_id", chosen="req_id = ANY (%(req_ids)s)"),
    HubTable(live="external_call", archive="archive_external_call", key="call_id", chosen=_OF_MESSAGES),
    HubTable(live="funnel", archive="archive_funnel", key="funnel_id", chosen=_OF_MESSAGES),
    HubTable(live="message", archive="archive_message", key="msg_id", chosen=_OF_MESSAGES),
)


def named_tables(names: Iterable[str]) -> tuple[HubTable, ...]:
    """
    Return the tables that an installation archives, children before parents.

    Args:
        names: live tables. The hub may lack any of HUB_TABLES except message. Any other table is "table.key"
            with its primary key: its rows refer to a message by msg_id, and its archive is archive_<table>.

    Raises:
        ValueError: message is missing, or a name has another form.
    """
    in_order = list(names)
    of_hub = [table for table in HUB_TABLES if table.live in in_order]
    if MESSAGE not in in_order:
        raise ValueError(f"The tables to archive must include {MESSAGE}.")
    further = [
        _parse_further_table(name) for name in in_order if name not in {table.live for table in of_hub}
    ]
    return (*further, *of_hub)


def _parse_further_table(name: str) -> HubTable:
    live, _, key = name.partition(".")
    if not (live.isidentifier() and key.isidentifier()):
        raise ValueError(f"{name!r} is neither a table of the hub nor of the form table.key.")
    return HubTable(live=live, archive=f"archive_{live}", key=key, chosen=_OF_MESSAGES)
