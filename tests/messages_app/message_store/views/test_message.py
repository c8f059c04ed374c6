import uuid

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.message_store.models import TargetRecord
from tests.support.page_client import client_of, reader_of, text_of
from tests.support.stores import define, define_orders, execute, process, set_process, store

pytestmark = pytest.mark.django_db
LIST = "/message-store/messages/"


def page_of(key: str) -> str:
    answer = client_of("support", username="eve").get(f"{LIST}{key}/")
    assert answer.status_code == 200
    return text_of(answer)


class TestMessagePage:
    def test_reports_the_reason_for_the_next_attempt_and_what_is_missing(self):
        define_orders()
        key = store([{"id": 1, "customer": 9}], entity="order")
        process(key)
        page = page_of(key)
        for words in ("It refers to missing records", "[9]", "Next attempt", "Gives up (26)", "wait", "60 s"):
            assert words in page

    def test_shows_every_attempt_with_its_log_and_the_records(self):
        define()
        key = store([{"id": 1}, {"id": 2}])
        process(key)
        page = page_of(key)
        assert "2 versions written" in page
        assert TargetRecord.objects.filter(source_message=key).count() == 2
        assert page.count(">[1]<") == 1

    def test_has_live_or_archived_attempts(self):
        define()
        key, other = store(), store([{"id": 2}])
        process(key), process(other)
        execute(
            "INSERT INTO archive_message_history (message_identifier, processed_timestamp, status)"
            " SELECT message_identifier, processed_timestamp - interval '1 day', 25 FROM message_history"
        )
        client = client_of("support")
        for query, statuses in (("", [10]), ("?attempts=archived", [25])):
            context = client.get(f"{LIST}{key}/{query}").context
            assert [one.status for one, _ in context["attempts"]] == statuses
            assert [one.status for one in context["page"].rows] == statuses
            assert (context["is_archive"], context["has_archived"]) == (query != "", True)
            assert [one.record_key for one in context["records"]] == ["[1]"]
            assert (context["waits"], context["strip"], context["may_act"]) == ([], [], False)
            assert context["may_download_file"] is False

    def test_works_without_a_row_in_the_store(self):
        key = store()
        execute("DELETE FROM message_store")
        assert "Content not available" in page_of(key)

    def test_takes_an_identifier_in_upper_case_and_no_other_text(self):
        key = store()
        assert key in page_of(key.upper())
        client = client_of("support", username="bob")
        assert client.get(f"{LIST}{uuid.uuid4()}/").status_code == 404
        assert client.get(f"{LIST}777/").status_code == 404

    def test_offers_what_its_status_allows_to_operators(self):
        key = store()
        page = text_of(client_of("operator").get(f"{LIST}{key}/"))
        assert ">Reprocess</h2>" not in page
        set_process(key, status=2)
        page = text_of(client_of("operator", username="bob").get(f"{LIST}{key}/"))
        assert ">Reprocess</h2>" in page
        assert ">Retry now</h2>" in page
        assert ">Reprocess</h2>" not in page_of(key)


class TestData:
    def test_is_masked_for_users_without_permission(self):
        key = store([{"id": 1, "name": "Ada"}])
        assert "Ada" not in text_of(client_of("support").get(f"{LIST}{key}/data/"))
        assert not AuditEntry.objects.exists()
        shown = text_of(reader_of("support", username="bob").get(f"{LIST}{key}/data/"))
        assert "Ada" in shown
        assert AuditEntry.objects.get(action="view_stored_data").subject == key

    def test_is_sent_unmasked_to_users_with_permission_to_read_it(self):
        key = store([{"id": 1}])
        assert client_of("support").get(f"{LIST}{key}/data/download/").status_code == 403
        refused = AuditEntry.objects.get(outcome="refused")
        assert (refused.action, refused.subject) == ("view_stored_data", key)
        other = reader_of("cp_service", username="eve")
        assert other.get(f"{LIST}{key}/data/download/").status_code == 403
        answer = reader_of("support", username="bob").get(f"{LIST}{key}/data/download/")
        assert b"".join(answer.streaming_content) == b'[{"id": 1}]'

    def test_is_the_file_of_the_file_store_if_it_exists(self, settings, tmp_path):
        settings.MESSAGE_STORE_FILES = tmp_path
        (tmp_path / "a.csv").write_text("id;1")
        key, gone, none = store(file_path="a.csv"), store(file_path="b.csv"), store()
        assert client_of("support").get(f"{LIST}{key}/file/download/").status_code == 403
        client = reader_of("support", username="bob")
        assert "Download file" in text_of(client.get(f"{LIST}{key}/"))
        answer = client.get(f"{LIST}{key}/file/download/")
        assert b"".join(answer.streaming_content) == b"id;1"
        assert answer.headers["Content-Disposition"] == 'attachment; filename="a.csv"'
        assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'; ")
        assert AuditEntry.objects.filter(outcome="done", subject=key).exists()
        for other in (gone, none):
            assert client.get(f"{LIST}{other}/file/download/").status_code == 404

    def test_does_not_exist_for_a_missing_message(self):
        assert client_of("support").get(f"{LIST}{uuid.uuid4()}/data/").status_code == 404
