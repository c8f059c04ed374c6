import hashlib

import pytest
from django.db import connection

from messages_app.message_store.models import TargetRecord
from messages_app.message_store.services.attempt import process_message
from messages_app.processors.objects import HubObjects
from tests.support.factories import make_archived_message, make_message
from tests.support.stores import define, execute, store

pytestmark = pytest.mark.django_db


def stored(*records: dict) -> str:
    """Store a message with records and process it; return its identifier."""
    identifier = store(list(records))
    process_message(identifier)
    return identifier


@pytest.fixture
def _definition() -> None:
    define(json_schema={})


@pytest.mark.usefixtures("_definition")
class TestARecordOfTheStore:
    def test_is_the_object_with_its_number(self):
        identifier = stored(
            {"id": 1, "object_id": 7, "object_type": 65_536, "name": "Grace Hopper"},
            {"id": 2, "object_id": 8},
        )
        text, info = HubObjects().full_text(7), HubObjects().object_info(7)
        assert "Grace Hopper" in text.text.splitlines()
        assert (text.stored_message, text.msg_id, text.is_too_large) == (identifier, None, False)
        assert (info.object_type, info.system, info.mime_type) == (65_536, "customer", "application/json")
        assert (info.page_count, info.has_text, len(info.sha256)) == (1, True, 64)

    def test_is_the_version_that_is_valid_now(self):
        stored({"id": 1, "object_id": 7, "name": "old"})
        stored({"id": 1, "object_id": 7, "name": "new"})
        assert TargetRecord.objects.count() == 2
        assert {"new"} == set(HubObjects().full_text(7).text.splitlines()) - {"1", "7"}

    def test_has_priority_over_a_message_of_the_hub(self):
        make_message(object_id="7", payload="<a>hub</a>")
        stored({"id": 1, "object_id": 7, "name": "store"})
        assert "store" in HubObjects().full_text(7).text

    def test_may_have_any_value_as_a_number(self):
        for number, value in enumerate(("7", "x" * 100_000, [7], {"7": 7}, True, None, 7.5)):
            stored({"id": number, "object_id": value})
        assert TargetRecord.objects.count() == 7
        assert HubObjects().object_info(7) is None

    def test_has_no_type_if_the_type_is_invalid(self):
        stored({"id": 1, "object_id": 7, "object_type": "x"})
        assert HubObjects().object_info(7).object_type is None

    def test_larger_than_a_megabyte_is_not_read(self):
        stored({"id": 1, "object_id": 7, "name": "x" * 1_100_000})
        text = HubObjects().full_text(7)
        assert (text.text, text.is_too_large) == ("", True)

    def test_is_found_by_an_index(self):
        stored(*({"id": number, "object_id": number} for number in range(3000)))
        execute("ANALYZE target_record")
        with connection.cursor() as cursor:
            cursor.execute(
                "EXPLAIN SELECT * FROM target_record"
                " WHERE valid_to IS NULL AND data -> 'object_id' = '2999'::jsonb"
            )
            assert "target_record_object_idx" in str(cursor.fetchall())


class TestAMessageOfTheHub:
    def test_is_the_newest_whose_object_id_is_the_number(self):
        make_message(object_id="7", payload="<a>old</a>")
        newest = make_message(object_id="7", source_system="ERP", payload='<a x="one">two</a>')
        make_message(object_id="07", payload="<a>other</a>")
        text, info = HubObjects().full_text(7), HubObjects().object_info(7)
        assert (text.text, text.msg_id, text.stored_message) == ("one\ntwo", newest.pk, None)
        assert (info.object_type, info.reference, info.system) == (None, str(newest.pk), "ERP")
        assert info.mime_type == "application/xml"
        assert info.sha256 == hashlib.sha256(b'<a x="one">two</a>').hexdigest()

    def test_can_be_archived(self):
        archived = make_archived_message(object_id="7", payload="<a>cold</a>")
        assert HubObjects().full_text(7).msg_id == archived.pk
        make_message(object_id="7", payload="<a>live</a>")
        assert HubObjects().full_text(7).text == "live"

    def test_without_a_payload_has_no_text(self):
        make_message(object_id="7", payload="")
        info = HubObjects().object_info(7)
        assert (info.has_text, info.page_count) == (False, 0)
        assert HubObjects().full_text(7).text == ""


class TestUnknownObject:
    def test_is_missing(self):
        assert HubObjects().object_info(7) is None
        assert HubObjects().full_text(7) is None
