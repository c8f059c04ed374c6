import pytest

from messages_app.document_history.services.check import check_document
from tests.support.histories import make_trigger, store_both, store_entry
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db
HISTORY, UNDETERMINED = "/document-history/entries/", "/document-history/undetermined/"


class TestEntryList:
    def test_folds_both_entries_and_shows_when_they_expire(self):
        make_trigger()
        store_both(age="3 days")
        page = text_of(client_of("support").get(HISTORY))
        assert page.count(">u-1</a>") == 1
        assert "processed" in page
        assert "expired, not yet removed" in page

    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ("?trigger_id=t-2", {"u-3"}),
            ("?uuid=u-1", {"u-1"}),
            ("?uuid_prefix=u-", {"u-1", "u-2", "u-3"}),
            ("?state=processing", {"u-2"}),
            ("?expired=true", {"u-3"}),
            ("?time_from=-1h", {"u-1", "u-2"}),
            ("?time_to=-1h", {"u-3"}),
        ],
    )
    def test_is_narrowed(self, query, shown):
        make_trigger()
        make_trigger("t-2")
        store_both()
        store_entry("processing", uuid="u-2")
        store_both(trigger_id="t-2", uuid="u-3", age="3 days")
        page = text_of(client_of("support").get(HISTORY + query))
        assert {uuid for uuid in ("u-1", "u-2", "u-3") if f">{uuid}</a>" in page} == shown

    def test_leads_from_page_to_page(self):
        make_trigger()
        for number in range(3):
            store_both(uuid=f"u-{number}", age=f"{number + 1} minutes")
        client = client_of("support")
        first = client.get(HISTORY + "?page_size=2")
        older = first.context["older"]
        assert first.context["newer"] is None
        second = client.get(HISTORY + older)
        assert [line.entry.document_uuid for line in second.context["lines"]] == ["u-2"]
        assert second.context["older"] is None

    @pytest.mark.parametrize("query", ["?ordering=time", "?uuid_prefix=u-", "?ordering=-time"])
    def test_leads_from_page_to_page_in_its_order(self, query):
        make_trigger()
        for number in range(3):
            store_both(uuid=f"u-{number}", age=f"{number + 1} minutes")
        client = client_of("support")
        first = client.get(f"{HISTORY}{query}&page_size=2").context
        is_oldest_first = query != "?ordering=-time"
        further, back = ("newer", "older") if is_oldest_first else ("older", "newer")
        assert (first[further] is None, first[back]) == (False, None)
        second = client.get(HISTORY + first[further]).context
        assert (second[further], second[back] is None) == (None, False)
        uuids = [line.entry.document_uuid for one in (first, second) for line in one["lines"]]
        assert uuids == (["u-2", "u-1", "u-0"] if query == "?ordering=time" else ["u-0", "u-1", "u-2"])

    @pytest.mark.parametrize("query", ["?time_from=whenever", "?state=running", "?colour=red", "?cursor=x"])
    def test_reports_errors_in_its_address(self, query):
        answer = client_of("support").get(HISTORY + query)
        assert answer.status_code == 400
        assert "c-field-error" in text_of(answer) or "is-error" in text_of(answer)

    def test_marks_invisible_characters_in_an_identifier(self):
        make_trigger()
        store_both(uuid="u\u200b1<b>")
        page = text_of(client_of("support").get(HISTORY))
        assert "<b>" not in page
        assert "u\u200b1" not in page

    def test_is_not_for_strangers(self):
        assert client_of().get(HISTORY).status_code == 403


class TestUndeterminedList:
    def test_lists_the_oldest_first_and_links_to_its_in_doubt_page(self):
        make_trigger()
        store_both()
        for uuid, age in (("young", "1 minute"), ("old", "2 hours")):
            store_entry("processing", uuid=uuid, age=age)
        check_document(trigger_id="t-1", uuid="old", redelivery_count=1)
        answer = client_of("support").get(UNDETERMINED)
        lines = answer.context["lines"]
        assert [line.entry.document_uuid for line in lines] == ["old", "young"]
        assert lines[0].age > lines[1].age
        assert (lines[0].in_doubt_id is None, lines[1].in_doubt_id) == (False, None)
        assert "a copy arrived" in text_of(answer)
        assert "running" not in text_of(answer).split("<tbody>")[1].replace('data-state="running"', "")
