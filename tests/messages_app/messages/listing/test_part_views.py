import json
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from lxml import html

from messages_app.audit.models import AuditEntry
from messages_app.messages import selectors
from messages_app.messages.filters.message_filter import MessageFilter
from tests.support.factories import NOON, make_archived_message, make_message, make_messages, make_user
from tests.support.page_client import text_of

pytestmark = pytest.mark.django_db

ADDRESSES = ["histogram", "count", "newer", "excluding", "export"]


@pytest.fixture
def support() -> Client:
    client = Client()
    client.force_login(make_user("support"))
    return client


def part(client: Client, address: str, **headers: str) -> str:
    response = client.get(f"/messages/{address}", headers={"HX-Request": "true"} | headers)
    assert response.status_code == 200, response.content
    return response.content.decode()


def page_title(page: str) -> str:
    return " ".join(page.partition("<title>")[2].partition("</title>")[0].split())


def body(response) -> str:
    return b"".join(response.streaming_content).decode()


class TestEveryPart:
    @pytest.mark.parametrize("address", ADDRESSES)
    def test_is_closed_to_users_who_have_no_role(self, client, address):
        assert client.get(f"/messages/{address}/").status_code == 302
        client.force_login(make_user())
        assert client.get(f"/messages/{address}/").status_code == 403

    @pytest.mark.parametrize("address", ADDRESSES)
    @pytest.mark.parametrize(
        ("query", "field"), [("zzz=1", "zzz"), ("state=NOPE", "state"), ("payload_contains=x", "payload")]
    )
    def test_rejects_an_invalid_filter_with_its_name(self, support, address, query, field):
        response = support.get(f"/messages/{address}/?{query}")
        assert response.status_code == 400
        assert field in response.content.decode()


class TestHistogramPart:
    @pytest.fixture(autouse=True)
    def _no_kept_picture(self):
        cache.clear()

    def test_draws_the_messages_of_the_list_with_links_and_a_table(self, support):
        make_message(state="FAILED", receive_timestamp=timezone.now())
        drawn = part(support, "histogram/?service_name=billing&ordering=msg_id")
        assert '<rect data-state="FAILED"' in drawn
        assert "/messages/?service_name=billing&amp;ordering=msg_id&amp;receive_timestamp_from=" in drawn
        assert "<caption" in drawn
        assert "<html" not in drawn

    def test_uses_the_time_range_of_the_page(self, support):
        make_message(receive_timestamp=timezone.now() - timedelta(hours=3))
        assert "None in this period" in part(support, "histogram/?receive_timestamp_from=-2h")
        assert "None in this period" not in part(support, "histogram/?receive_timestamp_from=-4h")

    def test_explains_why_there_is_nothing_to_draw(self, support):
        make_messages(25_000, step=timedelta(0))
        make_message(receive_timestamp=NOON + timedelta(hours=1))
        assert "Too many messages to count" in part(support, "histogram/")

    def test_reports_that_there_are_no_messages(self, support):
        assert "None in this period" in part(support, "histogram/")

    def test_is_a_page_without_scripts(self, support):
        page = support.get("/messages/histogram/").content.decode()
        assert page_title(page).startswith("Messages over time")
        assert "<h1>Messages over time</h1>" in page
        assert re.search(r'<a href="/messages/">.*?Back to the list</a>', page)


class TestCountPart:
    def test_counts_exactly(self, support):
        make_message(state="FAILED")
        make_message(state="OK")
        assert "of exactly 1" in part(support, "count/?state=FAILED&ordering=-msg_id")
        page = support.get("/messages/count/?state=FAILED").content.decode()
        assert page_title(page).startswith("Number of messages")


class TestNewerPart:
    def test_reports_the_number_of_newer_messages(self, support):
        make_message()
        cursor = selectors.message_page(filters=MessageFilter(), ordering="-msg_id").newer_cursor
        address = f"newer/?ordering=-msg_id&cursor={cursor}"
        assert part(support, address).strip() == ""
        make_message()
        assert "1 new" in part(support, address)

    def test_needs_the_cursor_of_a_page(self, support):
        assert support.get("/messages/newer/").status_code == 400
        assert support.get("/messages/newer/?cursor=x").status_code == 400


class TestFiltersThatExcludeAll:
    def test_are_links_that_remove_each(self, support):
        make_message(service_name="billing", source_system="CRM")
        markup = part(support, "excluding/?service_name=billing&source_system=NOPE&page_size=100")
        [link] = html.fromstring(markup).xpath("//a")
        assert link.get("href") == "/messages/?service_name=billing&page_size=100"
        assert " ".join(link.text_content().split()) == "Remove Source system"

    def test_keep_relative_times_relative(self, support):
        make_message(service_name="billing", receive_timestamp=timezone.now())
        markup = part(support, "excluding/?service_name=none&receive_timestamp_from=-1h")
        assert html.fromstring(markup).xpath("//a/@href") == ["/messages/?receive_timestamp_from=-1h"]

    def test_may_be_none(self, support):
        make_message(service_name="billing", source_system="CRM")
        markup = part(support, "excluding/?service_name=orders&source_system=ERP")
        assert "No messages were found without one of these filters either." in markup

    def test_are_a_page_without_scripts(self, support):
        page = text_of(support.get("/messages/excluding/?service_name=orders&source_system=ERP"))
        assert "Back to the list" in page


class TestExport:
    @pytest.mark.parametrize(
        ("kind", "content_type"), [("csv", "text/csv"), ("jsonl", "application/x-ndjson")]
    )
    def test_streams_the_list_in_its_order_and_records_the_user(self, support, kind, content_type):
        first, second = make_message(state="FAILED"), make_message(state="FAILED")
        make_message(state="OK")
        response = support.get(f"/messages/export/?format={kind}&state=FAILED&ordering=msg_id")
        text = body(response)
        assert response.headers["Content-Type"].startswith(content_type)
        assert response.headers["X-Row-Limit"] == "10000"
        assert f'filename="messages.{kind}"' in response.headers["Content-Disposition"]
        assert text.index(str(first.correlation_id)) < text.index(str(second.correlation_id))
        assert "payload" not in text
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.actor) == ("export_messages", "ada")
        assert entry.details == {"format": kind, "filter": "state=FAILED", "ordering": "msg_id"}

    def test_exports_selected_messages(self, support):
        live, old = make_message(), make_archived_message()
        make_message()
        ids = [live.pk, old.pk]
        response = support.post("/messages/export/", {"format": "jsonl", "msg_id": ids})
        lines = [json.loads(line) for line in body(response).splitlines()]
        assert [(line["msg_id"], line["archived"]) for line in lines] == [(old.pk, True), (live.pk, False)]
        assert AuditEntry.objects.get().details == {"format": "jsonl", "msg_ids": ids}

    @pytest.mark.parametrize(
        "data", [{}, {"msg_id": "x"}, {"msg_id": "9" * 30}, {"msg_id": list(range(501))}]
    )
    def test_rejects_an_invalid_selection(self, support, data):
        response = support.post("/messages/export/", data)
        assert response.status_code == 400
        assert "msg_id" in response.content.decode()
        assert not AuditEntry.objects.exists()

    def test_rejects_another_format_or_order(self, support):
        assert support.get("/messages/export/?format=xls").status_code == 400
        assert support.get("/messages/export/?ordering=payload").status_code == 400
        assert not AuditEntry.objects.exists()


def options(part: HttpResponse) -> list[html.HtmlElement]:
    return html.fragments_fromstring(text_of(part).strip())


@pytest.mark.django_db
class TestSuggestions:
    def test_answers_with_the_words_possible_at_the_caret(self, support):
        option = options(support.get("/messages/suggest/", {"q": "state:F service:x", "at": "7"}))[0]
        assert (option.get("data-start"), option.get("data-end")) == ("0", "7")
        assert option.get("data-insert") == "state:FAILED"
        assert [part.text for part in option] == ["FAILED", "failed, will not be retried"]

    def test_writes_positions_of_long_lines_without_separators(self, support):
        line = f"{'x' * 2000} state:F"
        option = options(support.get("/messages/suggest/", {"q": line, "at": "2008"}))[0]
        assert (option.get("data-start"), option.get("data-end")) == ("2001", "2008")

    @pytest.mark.parametrize(
        "query", ["", "q=state:&at=x", "q=state:&at=-1", "q=a&at=99999999999999999999", "q=%00&at=1", "at=³"]
    )
    def test_accepts_any_text(self, support, query):
        assert support.get(f"/messages/suggest/?{query}").status_code == 200

    def test_accepts_a_place_of_thousands_of_digits(self, support):
        assert support.get("/messages/suggest/", {"q": "x", "at": "1" * 5_000}).status_code == 200

    def test_offers_no_search_of_payloads_to_users_who_may_not_read_them(self, support):
        assert support.get("/messages/suggest/", {"q": "payl", "at": "4"}).content.strip() == b""

    def test_asks_to_log_in(self, client):
        assert client.get("/messages/suggest/?q=").status_code == 302
