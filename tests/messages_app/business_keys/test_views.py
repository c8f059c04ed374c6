import re
from datetime import timedelta

import pytest
from django.db import connection
from django.http import HttpResponse

from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.business_keys.selectors import find_existing
from messages_app.messages.models import Message
from messages_app.messages.parquet_archive.models import ColdMessage
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.support.factories import NOON, make_archived_message, make_external_call, make_message, next_id
from tests.support.page_client import client_of, reader_of, text_of
from tests.support.plans import faults_in, reads_of

pytestmark = pytest.mark.django_db


def give_key(message: Message, value: str, *, name: str = "order", sensitive: bool = False) -> None:
    definition, _ = KeyDefinition.objects.get_or_create(
        service_name="billing", operation_name="createInvoice", name=name, path="//id", sensitive=sensitive
    )
    BusinessKey.objects.create(
        definition_id=definition.pk,
        value=value,
        msg_id=message.pk,
        receive_timestamp=message.receive_timestamp,
    )


def words_of(response: HttpResponse) -> str:
    """Return the text of the content of a page, with single blanks."""
    assert response.status_code == 200
    content = text_of(response).partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub("<[^>]*>", " ", content).split())


class TestKeyPage:
    def test_begins_with_a_sentence_about_the_system_that_a_message_waits_for(self):
        message = make_message(state="WAITING_FOR_RES", receive_timestamp=NOON)
        make_external_call(
            message,
            state="PROCESSING",
            operation_name="spring-ws:http://bank.example/pay",
            creation_timestamp=NOON + timedelta(minutes=1),
        )
        give_key(message, "N004711")
        text = words_of(client_of("support").get("/keys/N004711/"))
        start = "Received 2026-11-01 12:00:00 UTC , waiting for bank.example since 2026-11-01 12:01:00 ."
        assert start in text

    def test_shows_all_messages_live_archived_and_in_files_newest_state_first(self):
        live = make_message(state="OK", operation_name="first", last_process_timestamp=NOON)
        archived = make_archived_message(
            state="CANCEL", operation_name="second", last_process_timestamp=NOON + timedelta(hours=2)
        )
        cold_id = next_id()
        make_cold_message(
            cold_id, state="OK", operation_name="third", last_process_timestamp=NOON + timedelta(hours=1)
        )
        cold = ColdMessage.objects.get(pk=cold_id)
        for each in (live, archived, cold):
            give_key(each, "N1")
        text = words_of(client_of("support").get("/keys/N1/"))
        assert text.index("second") < text.index("third") < text.index("first")
        assert text.count("archived") == 2
        assert ", cancelled at " in text

    def test_begins_with_a_message_that_is_not_done_before_newer_ones_that_are(self):
        failed = make_message(state="FAILED", last_process_timestamp=NOON)
        newer = make_message(state="OK", last_process_timestamp=NOON + timedelta(hours=1))
        for each in (failed, newer):
            give_key(each, "N1")
        text = words_of(client_of("support").get("/keys/N1/"))
        assert "not processed because of an error at" in text.partition(".")[0]

    def test_shows_sensitive_values_only_with_the_right_to_payloads(self):
        give_key(make_message(operation_name="payInvoice"), "S1", sensitive=True)
        assert "No message has this number" in words_of(client_of("support").get("/keys/S1/"))
        assert "S1" not in words_of(client_of("support", username="bob").get("/keys/S/"))
        reader = reader_of("support", "view_payload", username="eve")
        assert "payInvoice" in words_of(reader.get("/keys/S1/"))

    def test_offers_the_values_that_begin_with_the_text(self):
        give_key(make_message(), "N12/3")
        page = text_of(client_of("support").get("/keys/N12/"))
        assert 'href="/keys/N12~2F3/"' in page
        assert "begin with it" in page

    def test_offers_other_searches_for_a_value_without_messages(self):
        page = client_of("support").get("/keys/nobody%20%26/")
        assert page.status_code == 200
        assert 'href="/messages/find/?id=nobody%20%26"' in text_of(page)

    def test_shows_rows_of_the_stores_whose_id_is_the_value(self):
        other = make_message(object_id="N9")
        text = text_of(client_of("support").get("/keys/N9/"))
        assert "Object id" in text
        assert f'href="/messages/{other.pk}/"' in text
        assert "No message has this number" not in text

    @pytest.mark.parametrize("value", ["%00", "x" * 300, "~", "%F0%9F%98%80", "..%2F", "%C3%28"])
    def test_answers_any_text(self, value):
        assert client_of("support").get(f"/keys/{value}/").status_code in {200, 404}


class TestKeySearch:
    def test_leads_to_the_page_of_the_value(self):
        answer = client_of("support").get("/keys/", {"value": "N1/2"})
        assert (answer.status_code, answer.headers["Location"]) == (302, "/keys/N1~2F2/")

    def test_lists_the_newest_numbers_that_the_user_may_see(self):
        give_key(make_message(), "N1")
        give_key(make_message(), "N2")
        give_key(make_message(), "S1", name="customer", sensitive=True)
        page = text_of(client_of("support").get("/keys/"))
        assert 0 < page.index('href="/keys/N2/"') < page.index('href="/keys/N1/"')
        # Not in a word: random tokens of the page may have these letters.
        assert not re.search(r"\bS1\b", page)
        reader = reader_of("support", "view_payload", username="eve")
        assert 'href="/keys/S1/"' in text_of(reader.get("/keys/"))

    def test_keeps_a_text_that_is_too_long(self):
        answer = client_of("support").get("/keys/", {"value": "x" * 201})
        assert answer.status_code == 400
        assert "x" * 201 in text_of(answer)


class TestKeysPart:
    def test_links_the_keys_of_a_message(self):
        message = make_message()
        give_key(message, "N1")
        give_key(message, "S1", name="customer", sensitive=True)
        page = text_of(client_of("support").get(f"/keys/of-message/{message.pk}/"))
        assert 'href="/keys/N1/"' in page
        # Not in a word: random tokens of the page may have these letters.
        assert not re.search(r"\bS1\b", page)
        reader = reader_of("support", "view_payload", username="eve")
        assert 'href="/keys/S1/"' in text_of(reader.get(f"/keys/of-message/{message.pk}/"))
        assert f'hx-get="/keys/of-message/{message.pk}/"' in text_of(reader.get(f"/messages/{message.pk}/"))


_MANY_KEYS = """
INSERT INTO business_key (definition_id, value, msg_id, receive_timestamp)
SELECT %(definition)s, 'N' || lpad(id::text, 8, '0'), id, '2026-10-01'::timestamptz
  FROM generate_series(1, 100000) AS id
"""
_MANY_CALLS = """
INSERT INTO external_call (call_id, msg_id, operation_name, state, entity_id, msg_timestamp,
                           creation_timestamp, last_update_timestamp)
SELECT -id, CASE WHEN id %% 2 = 0 THEN %(msg_id)s ELSE %(other)s END, 'op', 'OK', 'e' || id,
       now(), now(), now()
  FROM generate_series(1, 100000) AS id
"""


class TestPlans:
    def test_read_few_rows_of_large_tables(self):
        message = make_message(state="WAITING_FOR_RES")
        give_key(message, "N00050000")
        with connection.cursor() as cursor:
            cursor.execute("SELECT make_business_key_month('2026-10-01')")
            cursor.execute(_MANY_KEYS, {"definition": KeyDefinition.objects.get().pk})
            cursor.execute(_MANY_CALLS, {"msg_id": message.pk, "other": make_message().pk})
            cursor.execute("ANALYZE business_key, external_call")
        client, sent = client_of("support"), []
        with connection.execute_wrapper(reads_of(sent)):
            for address in ("/keys/", "/keys/N00050000/", "/keys/N0005000/", "/keys/of-message/50000/"):
                assert client.get(address).status_code == 200
            assert find_existing(["N00050000", "N1"], may_view_payload=False) == {"N00050000": "order"}
        assert len([each for each in sent if "business_key" in each[0]]) >= 5
        assert any("external_call" in each[0] for each in sent)
        assert faults_in(sent, most_rows=2_000) == []
