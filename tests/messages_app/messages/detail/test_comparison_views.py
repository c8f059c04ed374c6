import re
import time

import pytest
from django.test import Client
from django.utils.html import strip_tags

from messages_app.audit.models import AuditEntry
from messages_app.payloads.payload_view import HIDDEN
from tests.support.factories import (
    NOON,
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
        good = make_message(state="OK", payload=ORDER.format(7), receive_timestamp=NOON)
        text_of_bad = ORDER.format(8).replace("12:00", "13:00")
        bad = make_message(state="FAILED", payload=text_of_bad, receive_timestamp=NOON)
        text = text_of(reader, bad.pk)
        assert "1 difference, not counting 1 time." in text
        assert f"Compared with {good.pk}" in text
        assert "Ada Lovelace" in text
        assert text.count("T13:00") == 1
        assert "1 difference." in text_of(reader, bad.pk, "?exact=true")
        assert "Unified" in text_of(reader, bad.pk, "?unified=true")

    def test_compares_with_any_live_or_archived_message(self, reader):
        other = make_archived_message(payload=ORDER.format(7), envelope="<e>1</e>")
        message = make_message(payload=ORDER.format(7), envelope="<e>2</e>")
        assert "No difference. " in text_of(reader, message.pk, f"?with={other.pk}")
        assert "1 difference." in text_of(reader, message.pk, f"?kind=envelope&with={other.pk}")

    def test_shows_a_wrong_business_date_as_a_difference(self, reader):
        order = "<o><DeliverAt>{}</DeliverAt><Sent>{}</Sent></o>"
        right = order.format("2026-12-01T10:00:00Z", "2026-11-01T12:00:00Z")
        make_message(state="OK", payload=right, receive_timestamp=NOON)
        for wrong in ("0001-01-01T00:00:00Z", "2027-12-01T10:00:00Z", "9999-12-31T23:59:59Z"):
            payload = order.format(wrong, "2026-11-01T12:01:00Z")
            bad = make_message(payload=payload, receive_timestamp=NOON)
            text = text_of(reader, bad.pk)
            assert "1 difference, not counting 1 time." in text, wrong
            assert f"<DeliverAt>{wrong[:4]}".replace("<DeliverAt>", "&lt;DeliverAt&gt;") in text

    def test_says_where_an_ignored_time_is_if_nothing_else_differs(self, reader):
        order = "<o>\n<a/>\n<Sent>{}</Sent></o>"
        first, second = (order.format(f"2026-11-01T12:0{minute}:00Z") for minute in range(2))
        make_message(state="OK", payload=first, receive_timestamp=NOON)
        text = text_of(reader, make_message(payload=second, receive_timestamp=NOON).pk)
        assert "No difference apart from 1 time." in text
        assert re.search("Not counted: times and ids of the messages themselves .*This message *3", text)
        assert "identical" not in text

    @pytest.mark.parametrize(
        ("left", "right", "words"),
        [
            ("<a><b/></a>", "<a>\n<b/></a>", "apart from line ends (none against LF) and notation"),
            (
                "<a><b/> </a>",
                "<a><b/></a>",
                "apart from notation (such as white space, prefixes, the order of",
            ),
            ('<a x="1" y="2"/>', '<a y="2" x="1"/>', "apart from notation"),
            ("\ufeff<a/>", "<a/>", "apart from a byte order mark"),
            (
                '{"a": 1, "b": 2}',
                '{"b": 2, "a": 1}',
                "apart from notation (such as white space, the order of",
            ),
            ("one\r\ntwo\r\n", "one\ntwo\n", "apart from line ends (CR LF against LF)."),
            ("MSH|^~\\&|A\rPID|1\r", "MSH|^~\\&|A\nPID|1\n", "apart from line ends (CR against LF)."),
            ("UNB+A'UNH+1'", "UNB+A'\nUNH+1'", "apart from line ends (none against LF)."),
        ],
    )
    def test_never_says_that_texts_are_equal_that_differ_in_a_byte(self, reader, left, right, words):
        make_message(state="OK", payload=left)
        message = make_message(payload=right)
        for query in ("", "?exact=true"):
            text = text_of(reader, message.pk, query)
            assert "identical" not in text, query
            assert "No difference." not in text, query
        assert f"No difference {words}" in text_of(reader, message.pk)

    @pytest.mark.parametrize(
        ("left", "right", "names"),
        [
            ("AB", "A\U000e0041B", ("nothing", "U+E0041 TAG LATIN CAPITAL LETTER A")),
            ("10 000", "10\xa0000", ("U+0020 SPACE", "U+00A0 NO-BREAK SPACE")),
            ("AB", "A\u200dB", ("nothing", "U+200D ZERO WIDTH JOINER")),
            ("AB", "A\xadB", ("nothing", "U+00AD SOFT HYPHEN")),
            ("AB", "A\u3164B", ("nothing", "U+3164 HANGUL FILLER")),
            (
                "Zo\xeb",
                "Zoe\u0308",
                ("U+00EB LATIN SMALL LETTER E WITH DIAERESIS", "U+0308 COMBINING DIAERESIS"),
            ),
            ("PACS", "\u0420ACS", ("U+0050 LATIN CAPITAL LETTER P", "U+0420 CYRILLIC CAPITAL LETTER ER")),
            ("A", "A ", ("nothing", "U+0020 SPACE")),
        ],
    )
    def test_names_differences_that_cannot_be_seen(self, reader, left, right, names):
        make_message(state="OK", payload=f"<a>{left}</a>")
        text = text_of(reader, make_message(payload=f"<a>{right}</a>").pk)
        assert "1 difference." in text
        for name in names:
            assert name in text, name

    def test_names_a_tab_in_place_of_a_blank_in_a_text(self, reader):
        make_message(state="OK", payload="one\ttwo")
        text = text_of(reader, make_message(payload="one two").pk)
        assert "U+0009 CHARACTER TABULATION" in text
        assert "U+0020 SPACE" in text

    def test_compares_segments_by_the_delimiters_of_their_standard(self, reader):
        pairs = {
            "HL7 v2": (
                "MSH|^~\\&|A|B\rPID|1||42||X\rPV1|1|O\r",
                "|42|",
                "|43|",
                "PID Patient identification",
            ),
            "EDIFACT": ("UNA:+.? 'UNB+A'BGM+220+don?'t'UNZ+1'", "220", "221", "BGM Beginning of message"),
            "TRADACOMS": (
                "STX=ANA:1+A+B'\r\nMHD=1+ORDERS:9'\r\nOLD=1+:50+70++12+68++O?'REILLY'\r\nEND=1'",
                "+68+",
                "+69+",
                "OLD Order line details",
            ),
            "SWIFT MT": (
                "{1:F01X}{4:\r\n:20:A\r\n:32A:1EUR1,\r\n-}",
                "EUR1",
                "EUR2",
                ":32A: Value date, currency, amount",
            ),
        }
        for standard, (good, old, new, title) in pairs.items():
            make_message(state="OK", service_name=standard, payload=good)
            bad = make_message(service_name=standard, payload=good.replace(old, new))
            text = text_of(reader, bad.pk)
            assert "1 difference." in text, standard
            assert f"Difference 1 of 1 · {title}" in text
            assert f"Compared segment by segment, as {standard}." in text

    def test_compares_attempts(self, reader):
        message = make_message()
        first, second = (make_request(message, req_envelope=f"<a>{n}</a>") for n in range(2))
        response = make_response(first, res_envelope="<r/>")
        make_response(second, res_envelope="<r/>")
        assert "1 difference." in text_of(reader, message.pk, f"?kind=request&key={second.pk}")
        assert "1 difference." in text_of(reader, message.pk, f"?kind=request&key={first.pk}&with=next")
        assert "No difference. " in text_of(reader, message.pk, f"?kind=response&key={response.pk}")
        other = make_request(make_message(), req_envelope="<a>1</a>")
        query = f"?kind=request&key={second.pk}&with={other.pk}"
        assert "No difference. " in text_of(reader, message.pk, query)

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
