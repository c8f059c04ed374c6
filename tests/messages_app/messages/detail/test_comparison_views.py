import time

import pytest
from django.test import Client
from django.utils.html import strip_tags

from messages_app.audit.models import AuditEntry
from messages_app.payloads.payloads import HIDDEN
from tests.support.factories import (
    make_archived_message,
    make_message,
    make_request,
    make_response,
    make_user,
)
from tests.support.page_client import reader_of
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

ORDER = (
    '<order xmlns="urn:test" at="2026-11-01T12:00:00Z"><id>{}</id><customer>Ada Lovelace</customer></order>'
)


@pytest.fixture
def reader() -> Client:
    return reader_of("support")


@pytest.fixture
def support() -> Client:
    client = Client()
    client.force_login(make_user("support", username="bob"))
    return client


def text_of(client: Client, msg_id: int, query: str = "") -> str:
    response = client.get(f"/messages/{msg_id}/compare/{query}")
    assert response.status_code == 200
    return " ".join(strip_tags(response.content.decode()).split())


class TestComparePage:
    def test_compares_with_the_last_ok_message(self, reader):
        good = make_message(state="OK", payload=ORDER.format(7))
        bad = make_message(state="FAILED", payload=ORDER.format(8).replace("12:00", "13:00"))
        text = text_of(reader, bad.pk)
        assert "1 difference." in text
        assert f"Compared with {good.pk}" in text
        assert "Ada Lovelace" in text
        assert "13:00" not in text
        assert "13:00" in text_of(reader, bad.pk, "?exact=true")
        assert "Unified" in text_of(reader, bad.pk, "?unified=true")

    def test_compares_with_any_live_or_archived_message(self, reader):
        other = make_archived_message(payload=ORDER.format(7), envelope="<e>1</e>")
        message = make_message(payload=ORDER.format(7), envelope="<e>2</e>")
        assert "No differences" in text_of(reader, message.pk, f"?with={other.pk}")
        assert "1 difference." in text_of(reader, message.pk, f"?kind=envelope&with={other.pk}")

    def test_compares_attempts(self, reader):
        message = make_message()
        first, second = (make_request(message, req_envelope=f"<a>{n}</a>") for n in range(2))
        response = make_response(first, res_envelope="<r/>")
        make_response(second, res_envelope="<r/>")
        assert "1 difference." in text_of(reader, message.pk, f"?kind=request&key={second.pk}")
        assert "1 difference." in text_of(reader, message.pk, f"?kind=request&key={first.pk}&with=next")
        assert "No differences" in text_of(reader, message.pk, f"?kind=response&key={response.pk}")
        other = make_request(make_message(), req_envelope="<a>1</a>")
        query = f"?kind=request&key={second.pk}&with={other.pk}"
        assert "No differences" in text_of(reader, message.pk, query)

    def test_masks_values_and_audits_readings_of_both(self, reader, support):
        good, bad = make_message(state="OK"), make_message(state="FAILED", payload=ORDER.format(8))
        text = text_of(support, bad.pk)
        assert "values are masked" in text
        assert "Ada" not in text
        views = AuditEntry.objects.exclude(action="reveal_values")
        assert not views.exists()
        text_of(reader, bad.pk)
        entries = views.order_by("entry_id")
        assert [(entry.action, entry.msg_id, entry.details["compared_with"]) for entry in entries] == [
            ("view_payload", good.pk, bad.pk),
            ("view_payload", bad.pk, good.pk),
        ]

    def test_hides_texts_that_cannot_be_masked(self, support):
        make_message(state="OK", payload="hunter2")
        text = text_of(support, make_message(payload="hunter3").pk)
        assert HIDDEN in text
        assert "hunter" not in text

    def test_reports_that_there_is_nothing_to_compare_with(self, reader):
        message = make_message()
        request = make_request(message)
        for query in ("", "?with=1", f"?kind=request&key={request.pk}&with=previous"):
            assert "Nothing to compare with" in text_of(reader, message.pk, query)
        assert not AuditEntry.objects.exclude(action="reveal_values").exists()

    @pytest.mark.slow
    def test_reports_the_first_difference_of_large_texts(self, reader):
        large = "<a>" + "<b>žluť</b>\n" * 1_400_000 + "</a>"
        make_message(state="OK", payload=large)
        message = make_message(payload=large.replace("</a>", "<c/></a>"))
        began = time.process_time()
        text = text_of(reader, message.pk)
        assert time.process_time() - began < 15
        assert "Too large to compare line by line" in text
        assert "first difference is at byte" in text or "the rest was not compared" in text

    @pytest.mark.parametrize(
        "item", quick_first(['<b x="{}" y="2026-11-01T12:00:00Z"/>', "<b/>", "<b>{}</b>", "{}\n"])
    )
    def test_is_fast_up_to_the_limit(self, reader, item):
        left = "".join(item.format(n) for n in range(900_000 // len(item.format(12345))))
        right = "".join(item.format(n + n % 2) for n in range(900_000 // len(item.format(12345))))
        make_message(state="OK", payload=f"<a>{left}</a>")
        message = make_message(payload=f"<a>{right}</a>")
        began = time.process_time()
        response = reader.get(f"/messages/{message.pk}/compare/")
        assert time.process_time() - began < 20
        assert len(response.content) < 200_000

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("kind=body", "kind"),
            ("kind=request", "key"),
            ("kind=payload&key=1", "key"),
            ("kind=request&key=x", "key"),
            ("with=previous", "with"),
            ("with=abc", "with"),
            ("with=99999999999999999999", "with"),
            ("exact=yes", "exact"),
            ("unified=1", "unified"),
            ("what=1", "what"),
        ],
    )
    def test_rejects_invalid_parameters_by_name(self, reader, query, field):
        response = reader.get(f"/messages/{make_message().pk}/compare/?{query}")
        assert response.status_code == 400
        assert field in response.content.decode()

    def test_returns_404_for_an_unknown_id(self, reader):
        request = make_request(make_message())
        assert reader.get("/messages/1/compare/").status_code == 404
        other = make_message()
        assert reader.get(f"/messages/{other.pk}/compare/?kind=request&key={request.pk}").status_code == 404

    def test_requires_the_permission_to_view_messages(self, client):
        assert client.get("/messages/1/compare/").status_code == 302
        client.force_login(make_user(username="nobody"))
        assert client.get("/messages/1/compare/").status_code == 403
