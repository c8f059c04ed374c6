from itertools import count
from urllib.parse import urlencode

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.business_keys.passes import extract_new_keys
from messages_app.core.clock import database_clock
from tests.support.api_client import caller
from tests.support.factories import make_archived_message, make_message
from tests.support.plans import faults_in, reads_of

pytestmark = pytest.mark.django_db

_NUMBERS = count(1)
NEW = {
    "service_name": "billing",
    "operation_name": "createInvoice",
    "name": "order",
    "path": "//order/id",
    "reason": "asked by number",
}


def store_value(value: str, *, sensitive: bool = False, archived: bool = False) -> int:
    make = make_archived_message if archived else make_message
    message = make()
    definition, _ = KeyDefinition.objects.get_or_create(
        service_name="billing",
        operation_name="createInvoice",
        name="secret" if sensitive else "order",
        path="//id",
        sensitive=sensitive,
    )
    BusinessKey.objects.create(
        definition_id=definition.pk,
        value=value,
        msg_id=message.pk,
        receive_timestamp=message.receive_timestamp,
    )
    return message.pk


def values_for(*roles: str, **query: str) -> list[tuple[str, int, bool]]:
    answer = caller(*roles, username=f"user-{next(_NUMBERS)}").get(f"keys/?{urlencode(query)}")
    assert answer.status_code == 200, answer.content
    return [(row["value"], row["msg_id"], row["archived"]) for row in answer.json()["results"]]


class TestDefinitions:
    def test_are_created_changed_and_deleted_with_an_audit_entry_each(self):
        admin = caller("admin")
        created = admin.post("business-keys/", NEW)
        assert created.status_code == 201, created.content
        address = f"business-keys/{created.json()['definition_id']}/"
        assert (
            admin.send("PATCH", address, b'{"sensitive": true, "reason": "personal"}').json()["sensitive"]
            is True
        )
        assert admin.send("DELETE", address, b'{"reason": "not used"}').json()["removed"] is True
        assert admin.get(address).status_code == 404
        actions = AuditEntry.objects.order_by("entry_id").values_list("action", "reason")
        assert [each for each in actions if "business_key" in each[0]] == [
            ("create_business_key", "asked by number"),
            ("change_business_key", "personal"),
            ("delete_business_key", "not used"),
        ]

    @pytest.mark.parametrize(
        "path", ["//x[", "//a | //b", "count(//a)", "$", "$.a[", "//a//b//c//d", "document('http://x')"]
    )
    def test_name_the_field_of_a_path_that_is_not_supported(self, path):
        answer = caller("admin").post("business-keys/", NEW | {"path": path})
        assert answer.status_code == 400
        assert [error["field"] for error in answer.json()["errors"]] == ["path"]

    def test_exist_once(self):
        admin = caller("admin")
        assert admin.post("business-keys/", NEW).status_code == 201
        assert admin.post("business-keys/", NEW).status_code == 400
        KeyDefinition.objects.update(deleted_at=database_clock())
        assert admin.post("business-keys/", NEW).status_code == 201


class TestPreview:
    def test_shows_values_only_with_the_permission_for_payloads(self):
        good = make_message(payload="<order><id>7</id></order>")
        bad = make_message(payload="nothing")
        body = {name: NEW[name] for name in ("service_name", "operation_name", "path")}
        lines = caller("admin", "view_payload").post("business-keys/preview/", body).json()["results"]
        assert [(line["msg_id"], line["values"], line["problem"]) for line in lines] == [
            (bad.pk, [], "Not XML."),
            (good.pk, ["7"], ""),
        ]
        masked = caller("admin", username="bob").post("business-keys/preview/", body).json()["results"]
        assert [(line["values"], line["count"]) for line in masked] == [(None, 0), (None, 1)]


class TestSearch:
    def test_finds_whole_values_newest_first_and_prefixes_in_their_order(self):
        first, second = store_value("N1"), store_value("N1")
        third = store_value("N12", archived=True)
        store_value("n1")
        assert values_for("support", value="N1") == [("N1", second, False), ("N1", first, False)]
        assert values_for("support", prefix="N1") == [
            ("N1", first, False),
            ("N1", second, False),
            ("N12", third, True),
        ]
        assert values_for("support", value="N") == []

    def test_compares_blanks_as_they_are_stored(self):
        message = store_value("N 1")
        assert values_for("support", value=" N \t 1\n") == [("N 1", message, False)]

    def test_takes_signs_of_patterns_as_they_are(self):
        store_value("N1")
        message = store_value("N%")
        assert values_for("support", prefix="N%") == [("N%", message, False)]
        assert values_for("support", prefix="_") == []

    def test_finds_sensitive_keys_only_with_the_permission_for_payloads(self):
        message = store_value("secret 1", sensitive=True)
        assert values_for("support", value="secret 1") == values_for("support", prefix="sec") == []
        assert values_for("support", "view_payload", value="secret 1") == [("secret 1", message, False)]

    def test_leaves_out_messages_that_are_gone_and_deleted_definitions(self):
        message = store_value("N1")
        BusinessKey.objects.filter(msg_id=message).update(msg_id=-1)
        assert values_for("support", value="N1") == []
        store_value("N2")
        KeyDefinition.objects.update(deleted_at=database_clock())
        assert values_for("support", value="N2") == []

    @pytest.mark.parametrize("query", [{"value": "a", "prefix": "b"}, {"value": "x" * 201}, {"other": "a"}])
    def test_refuses_bad_queries(self, query):
        assert caller("support").get(f"keys/?{urlencode(query)}").status_code == 400


class TestSecondReading:
    def test_erasing_waits_for_a_task_that_has_read_messages(self):
        extract_new_keys()
        with connection.cursor() as cursor:
            cursor.execute("SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
            assert ("ShareLock",) in cursor.fetchall()


_MANY = """
INSERT INTO business_key (definition_id, value, msg_id, receive_timestamp)
SELECT %(definition)s, %(start)s || lpad(id::text, 8, '0'), id, '2026-10-01'::timestamptz
  FROM generate_series(1, 100000) AS id
"""


class TestPlans:
    def test_read_few_rows_of_a_large_table_even_behind_sensitive_ones(self):
        message = store_value("N00050000")
        store_value("M", sensitive=True)
        with connection.cursor() as cursor:
            cursor.execute("SELECT make_business_key_month('2026-10-01')")
            for definition in KeyDefinition.objects.all():
                start = "M" if definition.sensitive else "N"
                cursor.execute(_MANY, {"definition": definition.pk, "start": start})
            cursor.execute("ANALYZE business_key")
        client, sent = caller("support"), []
        with connection.execute_wrapper(reads_of(sent)):
            for query in ({"value": "N00050000"}, {"prefix": "N0005000"}, {}):
                assert client.get(f"keys/?{urlencode(query)}").status_code == 200
        searches = [each for each in sent if "business_key" in each[0]]
        assert len(searches) == 3
        assert faults_in(searches, most_rows=2_000) == []
        assert message
