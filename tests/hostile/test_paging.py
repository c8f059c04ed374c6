"""Lists page through hostile rows: every row once, in both directions, in the order of the database."""

from collections.abc import Callable

import pytest
from django.db import connection

from tests.hostile.world import (
    new_keys,
    store_cp_messages,
    store_documents,
    store_hub_rows,
    store_store_messages,
)
from tests.support.api_client import ApiClient, caller
from tests.support.factories import make_archived_message, make_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(settings) -> ApiClient:
    settings.API_REQUESTS_PER_MINUTE = 10**6
    return caller("admin", "view_payload", "history_service")


def own_schema() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        return cursor.fetchone()[0]


def keys_by(statement: str) -> list[object]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [row[0] if len(row) == 1 else row for row in cursor]


def read_all(reader: ApiClient, path: str, key: Callable[[dict], object]) -> list[object]:
    """Read a list from its beginning to its end and back; return the keys of its rows in their order."""
    pages = read_pages(reader, f"{path}&page_size=7", "next")
    there = [key(row) for page in pages for row in page["results"]]
    back = read_pages(reader, below_base(pages[-1]["previous"]), "previous")
    returned = [key(row) for page in reversed(back) for row in page["results"]]
    assert returned == there[: len(returned)]
    assert len(pages) > 3
    assert len(there) - len(returned) == len(pages[-1]["results"])
    return there


def read_pages(reader: ApiClient, address: str, direction: str) -> list[dict]:
    pages = []
    while address:
        answer = reader.get(address)
        assert answer.status_code == 200, answer.content[:500]
        pages.append(answer.json())
        address = below_base(pages[-1][direction])
    return pages


def below_base(address: str | None) -> str:
    return (address or "").partition("/api/v1/")[2]


def by(*names: str) -> Callable[[dict], object]:
    return lambda row: row[names[0]] if len(names) == 1 else tuple(row[name] for name in names)


class TestMessages:
    @pytest.mark.parametrize(("table", "query"), [("message", ""), ("archive_message", "&archived=true")])
    def test_are_listed_once_in_each_order(self, reader, table, query):
        for make, prefix in ((make_message, ""), (make_archived_message, "archive_")):
            make()
            store_hub_rows(new_keys(), schema=own_schema(), prefix=prefix)
        by_time = keys_by(f"SELECT msg_id FROM {table} ORDER BY receive_timestamp, msg_id")
        key = by("msg_id")
        assert read_all(reader, f"messages/?ordering=receive_timestamp{query}", key) == by_time
        assert read_all(reader, f"messages/?ordering=-receive_timestamp{query}", key) == by_time[::-1]
        assert read_all(reader, f"messages/?ordering=msg_id{query}", key) == sorted(by_time)

    def test_are_filtered_as_the_database_compares(self, reader):
        make_message()
        store_hub_rows(new_keys(), schema=own_schema())
        for column in ("msg_timestamp", "receive_timestamp", "last_process_timestamp"):
            for end, sign in (("from", ">="), ("to", "<=")):
                condition = f"{column} {sign} '2026-11-01 12:00:00+00'"
                expected = keys_by(f"SELECT msg_id FROM message WHERE {condition} ORDER BY msg_id DESC")
                path = f"messages/?{column}_{end}=2026-11-01T12:00:00Z&page_size=500"
                found = [row["msg_id"] for row in reader.get(path).json()["results"]]
                assert found == expected, path
                assert expected, path


class TestRequests:
    def test_are_listed_once_by_time(self, reader):
        store_hub_rows(new_keys(), schema=own_schema())
        expected = keys_by("SELECT req_id FROM request ORDER BY req_timestamp, req_id")
        assert read_all(reader, "requests/?ordering=req_timestamp", by("req_id")) == expected


class TestOtherStores:
    def test_list_cp_messages_once(self, reader):
        store_cp_messages(new_keys(), schema=own_schema())
        expected = keys_by("SELECT messageguid FROM oscpmqueue ORDER BY created, messageguid")
        assert read_all(reader, "cp-queue/messages/?ordering=created", by("messageguid")) == expected

    def test_list_store_messages_once(self, reader):
        store_store_messages(new_keys(), schema=own_schema())
        expected = keys_by("SELECT message_identifier FROM message_line ORDER BY message_timestamp, number")
        path = "message-store/?ordering=message_timestamp"
        assert read_all(reader, path, by("message_identifier")) == expected

    def test_list_documents_once(self, reader):
        store_documents(schema=own_schema())
        expected = keys_by("SELECT trigger_id, document_uuid FROM document_history_line")
        path = "document-history/entries/?ordering=time"
        found = read_all(reader, path, by("trigger_id", "document_uuid"))
        assert sorted(found) == sorted(expected)
