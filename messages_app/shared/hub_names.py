"""
The names of columns of a hub's tables, as far as the console treats them otherwise than its own.

Source: docs/contributing/spec/hub_versions.md, "Message columns".
"""

from collections.abc import Mapping

_OF_MESSAGES: Mapping[str, str] = {
    "service_name": "service",
    "last_process_timestamp": "last_update_timestamp",
}


def base_name(table: str, column: str) -> str:
    """Return the hub's name of a column of a live or an archive table."""
    return _OF_MESSAGES.get(column, column) if table.endswith("message") else column


# A column of each table that an UPDATE privilege lets the console lock rows with. It is never written.
LOCKED_BY: Mapping[str, str] = {
    "message": "failed_count",
    "external_call": "failed_count",
    "request": "res_join_id",
    "response": "failed_reason",
    "funnel": "funnel_value",
}
