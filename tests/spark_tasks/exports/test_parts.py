"""Parts written by the action of an export, from real tables."""

import datetime as dt
from pathlib import Path

import psycopg
import pyarrow.parquet as pq
import pytest
from django.db import connection

from messages_app.jobs.drivers.export import _exported_columns
from messages_app.messages.models import Message
from messages_app.shared.job_states import SkipReason, skipped_outcome
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.exports.files import PART
from spark_tasks.exports.parts import ExportParts
from spark_tasks.storage.addresses import Storage
from tests.support.factories import make_archived_message, make_message
from tests.support.memory import peak_growth

pytestmark = pytest.mark.django_db

KEY = JobKey(dsn="", job_id=1, attempt=1, rivals=())
MB = 1024 * 1024

# The columns of a message in which only these are not NULL or a default; none of them begins like a formula.
ROW = {
    "msg_id": 7,
    "correlation_id": "=1+1",
    "process_id": "",
    "object_id": 'a "quoted", line',
    "entity_type": "NULL",
    "operation_name": "\\N \\. \\u0041",
    "payload": '<a b="c">\r\n\t🐘 ü \u2028 \x01\x1f\x7f</a>\n',
    "envelope": None,
    "failed_desc": "-\n",
    "custom_data": "\t@",
    "business_error": "\r",
    "parent_msg_id": -(2**63),
    "failed_count": 2**31 - 1,
    "guaranteed_order": True,
    "msg_timestamp": dt.datetime(1, 1, 1, tzinfo=dt.UTC),
    "receive_timestamp": dt.datetime(2026, 10, 25, 0, 30, 0, 120000, tzinfo=dt.UTC),
    "start_process_timestamp": dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC),
    "last_process_timestamp": dt.datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=dt.UTC),
}


def act(folder: Path, format: str, *msg_ids: int) -> Decided:
    action = ExportParts(
        storage=Storage(str(folder)), folder="parts", format=format, columns=_exported_columns(payload=True)
    )
    connection.ensure_connection()
    return action.process_items(
        connection.connection, KEY, [Item(msg_id, msg_id, "NEW") for msg_id in msg_ids]
    )


def only_part(folder: Path) -> Path:
    (path,) = (folder / "parts").iterdir()
    return path


class TestExportParts:
    # The bytes that the console wrote when Python formatted each row.

    def test_writes_csv_to_the_byte(self, tmp_path):
        make_message(**ROW)
        act(tmp_path, "csv", 7)
        assert only_part(tmp_path).read_bytes() == CSV

    def test_writes_json_lines_to_the_byte(self, tmp_path):
        make_message(**ROW)
        act(tmp_path, "jsonl", 7)
        assert only_part(tmp_path).read_bytes() == JSON

    def test_writes_parquet_with_every_value_and_type(self, tmp_path):
        make_message(**ROW)
        act(tmp_path, "parquet", 7)
        table = pq.read_table(only_part(tmp_path))
        assert table.to_pylist() == [Message.objects.values().get() | {"archived": False}]
        assert {str(field.type) for field in table.schema} == {
            "int64",
            "int32",
            "string",
            "bool",
            "timestamp[us, tz=UTC]",
        }

    def test_writes_times_in_utc_in_every_session(self, tmp_path):
        make_message(**ROW)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL timezone = 'Europe/Prague'")
        act(tmp_path, "csv", 7)
        assert only_part(tmp_path).read_bytes() == CSV

    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    def test_writes_live_and_archived_messages_in_the_order_of_ids(self, tmp_path, format):
        make_message(msg_id=12)
        make_archived_message(msg_id=11)
        make_message(msg_id=10)
        decided = act(tmp_path, format, 12, 10, 11)
        (name,) = decided.moved
        assert name.startswith(f"{PART}10-12-")
        assert (decided.moved[name], decided.refusals) == (3, {})
        assert ids_in(only_part(tmp_path)) == [10, 11, 12]

    def test_names_messages_that_no_longer_exist_and_leaves_no_other_file(self, tmp_path):
        make_message(msg_id=11)
        decided = act(tmp_path, "csv", 10, 11, 12)
        assert decided.refusals == dict.fromkeys((10, 12), skipped_outcome(SkipReason.VANISHED))
        assert ids_in(only_part(tmp_path)) == [11]

    def test_writes_no_part_if_no_message_exists(self, tmp_path):
        decided = act(tmp_path, "csv", 10)
        assert (list(decided.refusals), dict(decided.moved)) == ([10], {})
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    @pytest.mark.parametrize("time", ["infinity", "-infinity", "10000-01-01", "0001-01-01 BC"])
    def test_refuses_a_time_that_no_reader_can_have(self, tmp_path, format, time):
        make_message(msg_id=10)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE message SET msg_timestamp = %s::timestamptz", [time])
        with pytest.raises(psycopg.errors.InvalidDatetimeFormat, match="in no calendar"):
            act(tmp_path, format, 10)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.slow
    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    def test_needs_the_memory_of_one_large_payload(self, tmp_path, format):
        for msg_id in range(10, 16):
            make_message(msg_id=msg_id, payload="<é>" * (5 * MB), envelope=None)  # 20 MB each
        act(tmp_path, format, 10)  # loads what writing needs
        with peak_growth() as growth:
            act(tmp_path, format, *range(11, 16))
        assert growth[0] < 80 * MB


def ids_in(path: Path) -> list[int]:
    if path.suffix == ".parquet":
        return pq.read_table(path)["msg_id"].to_pylist()
    if path.suffix == ".csv":
        return [int(line.split(b",")[0]) for line in path.read_bytes().splitlines()]
    return [int(line.split(b" ")[1].rstrip(b",")) for line in path.read_bytes().splitlines()]


CSV = (
    b"7,'=1+1,,0001-01-01T00:00:00+00:00,2026-10-25T00:30:00.120000+00:00,"
    b'billing,CRM,NEW,9999-12-31T23:59:59.999999+00:00,"a ""quoted"", line",'
    b'NULL,\\N \\. \\u0041,"<a b=""c"">\r\n\t\xf0\x9f\x90\x98 \xc3\xbc \xe2\x80\xa8 \x01\x1f\x7f</a>\n",,'
    b'"\'-\n",,'
    b"2147483647,1969-12-31T23:59:59.000001+00:00,'\t@,\"'\r\","
    b"-9223372036854775808,,,True,False,,,,False\r\n"
)
JSON = (
    b'{"msg_id": 7, "correlation_id": "=1+1", "process_id": "", '
    b'"msg_timestamp": "0001-01-01T00:00:00+00:00", "receive_timestamp": '
    b'"2026-10-25T00:30:00.120000+00:00", "service_name": "billing", '
    b'"source_system": "CRM", "state": "NEW", "start_process_timestamp": '
    b'"9999-12-31T23:59:59.999999+00:00", "object_id": "a \\"quoted\\", line",'
    b' "entity_type": "NULL", "operation_name": "\\\\N \\\\. \\\\u0041", '
    b'"payload": "<a b=\\"c\\">\\r\\n\\t\xf0\x9f\x90\x98 \xc3\xbc \xe2\x80\xa8 \\u0001\\u001f\x7f</a>\\n", '
    b'"envelope": null, "failed_desc": "-\\n", "failed_error_code": null, '
    b'"failed_count": 2147483647, "last_process_timestamp": '
    b'"1969-12-31T23:59:59.000001+00:00", "custom_data": "\\t@", '
    b'"business_error": "\\r", "parent_msg_id": -9223372036854775808, '
    b'"funnel_value": null, "parent_binding_type": null, '
    b'"guaranteed_order": true, "exclude_failed_state": false, '
    b'"funnel_component_id": null, "node_id": null, '
    b'"start_in_queue_timestamp": null, "archived": false}\n'
)
