import pytest
from lxml import html

from messages_app.audit.models import AuditEntry
from messages_app.document_history.models import DocumentTrigger
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.triggers import create_trigger, suspend_trigger
from tests.support.histories import ADA, make_trigger, store_both, store_entry
from tests.support.page_client import client_of, text_of
from tests.support.page_forms import send_form
from tests.support.page_tables import read_table

pytestmark = pytest.mark.django_db
HOME = "/document-history/"
VALUES = {
    "name": "Invoices",
    "detect_duplicates": "on",
    "use_history": "on",
    "history_ttl_seconds": "172800",
    "resolver": "",
    "on_retry_failure": "throw_exception",
    "reason": "a new system",
}

CHANGED = {
    "name": "Invoices",
    "detect_duplicates": True,
    "use_history": True,
    "history_ttl_seconds": 172_800,
    "resolver": "",
    "on_retry_failure": "throw_exception",
}


def properties_of(trigger_id: str) -> dict[str, object]:
    return DocumentTrigger.objects.values(*CHANGED).get(pk=trigger_id)


class TestTriggerList:
    def test_shows_decisions_and_waiting_documents(self):
        make_trigger()
        store_entry("processing", uuid="u-2", age="2 hours")
        store_both(age="3 days")
        check_document(trigger_id="t-1", uuid="u-1")
        check_document(trigger_id="t-1", uuid="u-2")
        page = text_of(client_of("support").get(HOME))
        for words in ("1 new", "1 duplicate", "1 in doubt", "oldest", "trigger t-1", "history, 2 d<"):
            assert words in page
        assert "New trigger" not in page

    def test_has_each_number_below_its_head_with_a_link_to_these_documents(self):
        make_trigger(history_ttl_seconds=7 * 24 * 3600)
        make_trigger("t-2")
        for number in range(2):  # 2 new ones, which are undetermined until they are completed
            check_document(trigger_id="t-1", uuid=f"new-{number}")
        for number in range(5):  # 5 more undetermined ones, of which 3 become In Doubt
            store_entry("processing", uuid=f"open-{number}", age="25 hours")
        for number in range(3):
            check_document(trigger_id="t-1", uuid=f"open-{number}")
        for number in range(4):  # 4 duplicates
            store_both(uuid=f"both-{number}", age="26 hours")
            check_document(trigger_id="t-1", uuid=f"both-{number}")
        store_entry("completed", uuid="expired", age="8 days")

        page = client_of("support").get(HOME)

        line = read_table(page, "Triggers with their counts")[0]
        assert line["Trigger"].text == "trigger t-1 t-1"
        of_it = "?trigger_id=t-1"
        assert line["Last 24 h"].links == {
            "2 new": f"{HOME}entries/{of_it}&time_from=-24h",
            "4 duplicate": f"{HOME}statistics/{of_it}&status=DUPLICATE&at_from=-24h",
            "3 in doubt": f"{HOME}statistics/{of_it}&status=IN_DOUBT&at_from=-24h",
        }
        assert line["Open in doubt"].links == {"3": f"{HOME}in-doubt/{of_it}&state=open"}
        assert line["Undetermined"].links == {"7": f"{HOME}undetermined/{of_it}"}
        # A document may have two entries, and the link leads to documents.
        assert line["Stored"].text == "16 View"
        assert line["Stored"].links == {"View": f"{HOME}entries/{of_it}"}
        assert line["Expired"].text == "1 View"
        assert line["Expired"].links == {"View": f"{HOME}entries/{of_it}&expired=true"}
        first, second = page.context["lines"]
        assert [(share.name, share.count, share.width) for share in first.shares] == [
            ("NEW", 2, 22.22),
            ("DUPLICATE", 4, 44.44),
            ("IN_DOUBT", 3, 33.33),
        ]
        assert second.shares == []

    def test_warns_of_a_suspended_one(self):
        make_trigger()
        suspend_trigger(trigger_id="t-1", because="The ledger is down.")
        page = client_of("support").get(HOME)
        note = html.fromstring(page.content).xpath("//main//*[@role='alert']")[0]
        assert " ".join(note.text_content().split()) == "Suspended and checking no documents: trigger t-1."
        assert (
            read_table(page, "Triggers with their counts")[0]["Trigger"].text == "trigger t-1 suspended t-1"
        )
        assert 'title="The ledger is down."' in text_of(page)

    def test_explains_triggers_if_the_list_is_empty(self):
        assert "No triggers yet" in text_of(client_of("support").get(HOME))


class TestNewTrigger:
    def test_makes_one(self):
        client = client_of("admin")
        empty = client.get(f"{HOME}new-trigger/")
        assert (empty.status_code, empty.context["form"].is_bound) == (200, False)
        answer = client.post(f"{HOME}new-trigger/", VALUES | {"trigger_id": "t-7"}, follow=True)
        assert answer.redirect_chain == [(f"{HOME}triggers/t-7/", 302)]
        assert "Trigger Invoices created." in text_of(answer)
        assert properties_of("t-7") == CHANGED
        entry = AuditEntry.objects.get(action="create_trigger")
        assert (entry.subject, entry.reason) == ("t-7", "a new system")

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"name": ""}, "Enter a name."),
            ({"trigger_id": "a b"}, "must not contain spaces"),
            ({"trigger_id": "t-1"}, "This id is already used"),
            ({"history_ttl_seconds": "0"}, "greater than or equal to 1"),
            ({"reason": ""}, "Enter a reason"),
        ],
    )
    def test_reports_errors(self, changes, words):
        make_trigger()
        answer = client_of("admin").post(f"{HOME}new-trigger/", VALUES | changes)
        assert answer.status_code == 400
        assert words in text_of(answer)
        assert DocumentTrigger.objects.count() == 1

    def test_is_for_administrators(self):
        assert client_of("operator").get(f"{HOME}new-trigger/").status_code == 403
        assert client_of("operator", username="bob").post(f"{HOME}new-trigger/", VALUES).status_code == 403
        tried = AuditEntry.objects.filter(action="create_trigger").values_list("outcome", flat=True)
        assert [*tried] == ["refused"] * 2


class TestTriggerPage:
    def test_asks_to_confirm_before_a_shorter_time_to_live_expires_entries(self):
        make_trigger()
        store_both(age="2 hours")
        client, shorter = client_of("admin"), VALUES | {"history_ttl_seconds": "3600"}
        asked = send_form(client, f"{HOME}triggers/t-1/", shorter)
        assert "2 entries expire immediately" in text_of(asked)
        assert (asked.status_code, asked.context["expiring"]) == (200, 2)
        form = asked.context["form"]
        assert (form.errors, form.data["confirmed_ttl"], form.cleaned_data["name"]) == ({}, 3600, "Invoices")
        assert DocumentTrigger.objects.get().history_ttl_seconds == 172_800
        saved = send_form(client, f"{HOME}triggers/t-1/", shorter | {"confirmed_ttl": "3600"})
        assert saved.status_code == 302
        assert DocumentTrigger.objects.get().history_ttl_seconds == 3600

    def test_changes_all_properties_with_a_reason(self):
        make_trigger(on_retry_failure="suspend_and_retry_later", history_ttl_seconds=60)
        make_trigger("t-2", name="other")
        store_both(age="9 days")
        client = client_of("admin")
        assert client.get(f"{HOME}triggers/t-1/").status_code == 200
        answer = send_form(client, f"{HOME}triggers/t-1/", VALUES, follow=True)
        assert answer.redirect_chain == [(f"{HOME}triggers/t-1/", 302)]
        assert "Changed." in text_of(answer)
        assert (properties_of("t-1"), properties_of("t-2")["name"]) == (CHANGED, "other")
        entry = AuditEntry.objects.get(action="change_trigger")
        assert (entry.subject, entry.reason) == ("t-1", "a new system")
        assert client.get(f"{HOME}triggers/t%00/").status_code == 404

    @pytest.mark.parametrize(
        ("path", "action"),
        [("", "change_trigger"), ("resume/", "resume_trigger"), ("delete/", "delete_trigger")],
    )
    def test_refuses_operators_with_an_audit_entry(self, path, action):
        make_trigger()
        assert client_of("operator").post(f"{HOME}triggers/t-1/{path}", VALUES).status_code == 403
        entry = AuditEntry.objects.get(outcome="refused")
        assert (entry.action, entry.actor, entry.subject_kind, entry.subject) == (
            action,
            "ada",
            "trigger",
            "t-1",
        )
        assert DocumentTrigger.objects.get().name == "trigger t-1"

    def test_resumes_a_suspended_one_with_a_reason(self):
        make_trigger()
        suspend_trigger(trigger_id="t-1", because="The ledger is down.")
        client = client_of("admin")
        assert client.post(f"{HOME}triggers/t-1/resume/", {"reason": ""}).status_code == 400
        answer = client.post(f"{HOME}triggers/t-1/resume/", {"reason": "it is up"}, follow=True)
        assert "Trigger resumed" in text_of(answer)
        assert "is not suspended" in text_of(
            client.post(f"{HOME}triggers/t-1/resume/", {"reason": "it is up"}, follow=True)
        )

    def test_shows_a_deleted_one_without_its_forms(self):
        make_trigger(resolver="nosuch")
        client = client_of("admin")
        client.post(f"{HOME}triggers/t-1/delete/", {"reason": "gone"})
        answer = client.get(f"{HOME}triggers/t-1/")
        assert (answer.context["resolver_fault"], answer.context["may_change"]) == ("", False)
        page = text_of(answer)
        assert "It no longer checks documents" in page
        assert "Save trigger</button>" not in page

    def test_shows_no_form_to_others(self):
        make_trigger()
        assert "Save trigger</button>" not in text_of(client_of("operator").get(f"{HOME}triggers/t-1/"))
        assert client_of("support", username="sue").get(f"{HOME}triggers/t-9/").status_code == 404

    def test_finds_a_trigger_whose_id_needs_quoting(self):
        create_trigger(actor=ADA, trigger_id="a?b&c#d", name="odd")
        client = client_of("support")
        home = client.get(HOME)
        assert "/document-history/triggers/a%3Fb&amp;c%23d/" in text_of(home)
        assert client.get("/document-history/triggers/a%3Fb&c%23d/").status_code == 200


class TestAnUnknownResolver:
    def test_is_warned_of_on_the_list_and_on_the_triggers_page(self):
        make_trigger(resolver="nosuch")
        client = client_of("support")
        assert "Their resolver is not registered:" in text_of(client.get(HOME))
        page = text_of(client.get(f"{HOME}triggers/t-1/"))
        assert "There is no resolver named" in page
        assert "HUBCONSOLE_RESOLVERS" in page

    def test_is_refused_next_to_its_field(self):
        answer = client_of("admin").post(f"{HOME}new-trigger/", VALUES | {"resolver": "nosuch"})
        assert answer.status_code == 400
        assert "There is no resolver named" in text_of(answer)
        assert not DocumentTrigger.objects.exists()
