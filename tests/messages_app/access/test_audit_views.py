"""The pages of the audit log: the list, an entry, and the file."""

import json

import pytest
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.audit.seals import seal_entries
from messages_app.audit.services import Actor, record_entry
from tests.support.audit_entries import audit_rows
from tests.support.factories import make_user
from tests.support.page_client import text_of

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada")
LOADER = Actor(username="ada", token_name="nightly", address="10.0.0.7", request_id="r-1")


@pytest.fixture
def support() -> Client:
    client = Client()
    client.force_login(make_user("support"))
    return client


def lines_of(client: Client, query: str = "") -> list[AuditEntry]:
    return [line.entry for line in client.get(f"/audit/{query}", follow=True).context["lines"]]


class TestAuditList:
    def test_shows_who_did_what_to_what_and_why(self, support):
        record_entry(
            actor=LOADER,
            action="restart",
            msg_id=7,
            before_state="FAILED",
            after_state="X",
            reason="<b>back</b>",
        )
        page = text_of(support.get("/audit/"))
        for text in ("ada", "nightly", "Restart", "/messages/7/", "FAILED → X", "&lt;b&gt;back"):
            assert text in page

    def test_shows_the_newest_first_and_leads_on(self, support):
        entries = [record_entry(actor=ADA, action="cancel", msg_id=number) for number in range(60)]
        context = support.get("/audit/").context
        assert context["page"].rows[0] == entries[-1]
        assert [entry.msg_id for entry in lines_of(support, context["older"])] == list(range(9, -1, -1))

    def test_filters_as_the_api_does(self, support):
        entry = record_entry(actor=ADA, action="cancel", msg_id=7, reason="bank is back")
        record_entry(actor=Actor(username="bob"), action="restart", msg_id=8)
        for query in (
            "?actor=ada",
            "?action=cancel",
            "?msg_id=7",
            "?reason_contains=back",
            "?at_from=-1h&actor=ada",
        ):
            assert lines_of(support, query) == [entry], query
        assert lines_of(support, "?at_to=2020-01-01") == []

    def test_shows_a_fold_as_one_line_that_leads_to_all_of_it(self, support):
        job = [record_entry(actor=ADA, action="archive", job_id=3) for _ in range(3)]
        token = [record_entry(actor=LOADER, action="restart", msg_id=number) for number in range(2)]
        bulk_actor = Actor(username="ada", request_id="r-9")
        bulk = [record_entry(actor=bulk_actor, action="cancel", msg_id=number) for number in range(2)]
        lines = support.get("/audit/").context["lines"]
        assert [line.entry for line in lines] == [bulk[-1], token[-1], job[-1]]
        for line, entries in zip(lines, (bulk, token, job), strict=True):
            assert lines_of(support, line.all_entries) == entries[::-1]
            assert line.fold.entries == len(entries)
        assert len(lines_of(support, "?folded=false")) == 7

    def test_says_what_is_wrong_with_a_filter(self, support):
        answer = support.get("/audit/?msg_id=x&outcome=maybe")
        assert answer.status_code == 400
        assert "Must be a number" in text_of(answer)

    def test_explains_that_it_is_empty(self, support):
        assert "No entries yet" in support.get("/audit/").content.decode()
        assert "No entries found" in support.get("/audit/?actor=eve").content.decode()

    def test_refuses_a_cursor_of_another_list(self, support):
        assert support.get("/audit/?cursor=x").status_code == 400

    def test_links_to_a_user_only_with_the_permission_to_manage_users(self, support):
        entry = record_entry(actor=ADA, action="add_user", subject_kind="user", subject=7)
        admin = Client()
        admin.force_login(make_user("admin", username="grace"))
        for address in ("/audit/", f"/audit/{entry.pk}/"):
            assert 'href="/users/7/"' not in support.get(address).content.decode()
            assert "User 7" in text_of(support.get(address))
            assert 'href="/users/7/"' in admin.get(address).content.decode()

    def test_is_closed_to_others(self, client):
        assert client.get("/audit/").status_code == 302
        client.force_login(make_user(username="nobody"))
        for address in ("/audit/", "/audit/export/", "/audit/1/"):
            assert client.get(address).status_code == 403


class TestShowEntry:
    def test_shows_every_value(self, support):
        entry = record_entry(
            actor=LOADER,
            action="restart",
            outcome=AuditEntry.Outcome.REFUSED,
            msg_id=7,
            job_id=8,
            before_state="FAILED",
            after_state="OK",
            reason="why",
            details={"refusal": "not allowed", "rate": 5},
        )
        page = text_of(support.get(f"/audit/{entry.pk}/"))
        for text in (
            *(
                "ada",
                "nightly",
                "10.0.0.7",
                "/audit/?request_id=r-1",
                "/messages/7/",
                "/jobs/8/",
                "FAILED",
                "OK",
            ),
            *("why", "not allowed", "Rate", "Not sealed yet"),
        ):
            assert text in page, text

    def test_shows_the_seal(self, support):
        entry = record_entry(actor=ADA, action="restart")
        seal_entries()
        assert "Seal 1," in text_of(support.get(f"/audit/{entry.pk}/"))

    def test_is_not_found_without_an_entry(self, support):
        assert support.get("/audit/9223372036854775807/").status_code == 404


class TestExportEntries:
    def test_streams_every_entry_of_the_filter_and_records_that(self, support):
        for number in (1, 2):
            record_entry(actor=LOADER, action="restart", msg_id=number, reason="=1+1", details={"a": "é"})
        record_entry(actor=ADA, action="cancel", msg_id=3)
        answer = support.get("/audit/export/?format=jsonl&action=restart")
        rows = [json.loads(line) for line in answer.getvalue().decode().splitlines()]
        assert [(row["msg_id"], row["details"]) for row in rows] == [(2, {"a": "é"}), (1, {"a": "é"})]
        (entry,) = audit_rows("export_audit")
        assert entry["details"] == {"format": "jsonl", "filter": {"action": "restart"}}

    def test_streams_csv_without_formulas(self, support):
        record_entry(actor=LOADER, action="restart", msg_id=1, reason="=1+1", details={"a": "é"})
        head, row = support.get("/audit/export/").getvalue().decode().splitlines()
        assert head.removeprefix("\ufeff").startswith(
            "entry_id,at,actor,actor_id,token_name,address,request_id"
        )
        assert ",'=1+1," in row
        assert row.endswith('"{""a"": ""é""}"')

    @pytest.mark.parametrize("query", ["format=xls", "zzz=1", "msg_id=x", "reason_contains=!"])
    def test_refuses_what_it_does_not_know(self, support, query):
        assert support.get(f"/audit/export/?{query}").status_code == 400
        assert audit_rows("export_audit") == []
