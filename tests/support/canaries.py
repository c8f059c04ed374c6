"""A word in every content and address of the hub, which masked readers must never see."""

import json

from django.db import connection

CANARY = "Canary4711"
_XML = f"<person><name>{CANARY}</name></person>"
_JSON = json.dumps([{"id": 1, "name": CANARY}])
_ADDRESS = f"spring-ws:http://u:{CANARY}@h/p;s={CANARY}?t={CANARY}#{CANARY}"
# Every column of a content or an address, and what is put there.
_COLUMNS = {
    **{table: {"payload": _XML, "envelope": _XML} for table in ("message", "archive_message")},
    **{table: {"req_envelope": _XML, "uri": _ADDRESS} for table in ("request", "archive_request")},
    **{table: {"res_envelope": _XML} for table in ("response", "archive_response")},
    **{table: {"operation_name": _ADDRESS} for table in ("external_call", "archive_external_call")},
    "document_in_doubt": {"document": _JSON},
    "message_store": {"data": _JSON},
    "target_record": {"data": _JSON},
}


def hide_canaries() -> None:
    with connection.cursor() as cursor:
        for table, columns in _COLUMNS.items():
            told = ", ".join(f"{name} = %s" for name in columns)
            cursor.execute(f"UPDATE {table} SET {told}", [*columns.values()])
