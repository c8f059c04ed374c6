import re
import time

import pytest
from django.test import Client
from django.utils.html import strip_tags

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import Message
from messages_app.payloads.layout import PIECE_LINES
from messages_app.payloads.payload_view import HIDDEN
from messages_app.shared.text_safety import MASK
from tests.support.factories import (
    PAYLOAD,
    make_archived_message,
    make_message,
    make_request,
    make_response,
    make_user,
)
from tests.support.memory import peak_growth
from tests.support.page_client import show_values, text_of
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

MAX_PAGE_BYTES = 200_000
# Ten times the usual duration, because the machine may be busy.
MAX_SECONDS = 10.0
MAX_MEMORY = 100_000_000
# Texts of 20 MB that a hub may store.
LARGE = {
    "one line of text": "<a>" + "x" * 20_000_000 + "</a>",
    "elements": "<list>" + "<item n='1'><sub>žluť</sub></item>" * 560_000 + "</list>",
    "empty elements": "<a>" + "<b/>" * 5_000_000 + "</a>",
    "nested elements": "<a>" * 6_600_000,
    "lines": "a line of plain text\n" * 950_000,
    "line ends": "x\n" * 10_000_000,
    "json": "[" + '{"a": [1, {"b": "ž"}]}, ' * 800_000 + "0]",
    "attributes": "<a" + "".join(f' x{n}="1"' for n in range(1_650_000)) + "/>",
    "control characters": "\x01" * 20_000_000,
    "open tags": "<" * 20_000_000,
}


def client_of(*roles: str) -> Client:
    client = Client()
    client.force_login(make_user(*roles, username="-".join(roles)))
    return client


@pytest.fixture
def reader() -> Client:
    client = client_of("support", "view_payload")
    show_values(client)
    return client


@pytest.fixture
def support() -> Client:
    return client_of("support")


def downloaded(response) -> bytes:
    return b"".join(response.streaming_content)


def source_of(page: str) -> str:
    return re.search(r"<pre[^>]*>(.*)</pre>", page, re.DOTALL)[1]


class TestContent:
    def test_masks_values_without_the_permission(self, reader, support):
        message = make_message()
        request = make_request(message)
        response = make_response(request)
        for path in ("payload/", "envelope/", f"requests/{request.pk}/", f"responses/{response.pk}/"):
            address = f"/messages/{message.pk}/{path}"
            assert "Ada Lovelace" in strip_tags(reader.get(address).content.decode())
            assert MASK in support.get(address).content.decode()
            for query in ("", "?view=raw", "?view=hex", "?find=Ada", "?find=Lovelace&view=raw", "?from=20"):
                masked = support.get(address + query).content.decode()
                assert "Ada Lovelace" not in strip_tags(masked)
                assert "41 64 61" not in masked
                assert "match for" not in masked or "No matches for" in masked

    def test_audits_readings_of_unmasked_payloads(self, reader, support):
        message = make_message()
        for query in ("", "?view=hex", "?find=Ada"):
            support.get(f"/messages/{message.pk}/payload/{query}")
        views = AuditEntry.objects.exclude(action="reveal_values")
        assert not views.exists()
        for count, query in enumerate(("", "?view=raw", "?view=hex", "?find=Ada", "?from=5"), start=1):
            reader.get(f"/messages/{message.pk}/payload/{query}")
            assert views.count() == count
            entry = views.latest("pk")
            assert (entry.action, entry.msg_id) == ("view_payload", message.pk)
            assert entry.actor == "support-view_payload"

    def test_hides_texts_that_cannot_be_masked(self, support):
        message = make_message(payload="not xml: hunter2")
        for query in ("", "?view=raw", "?view=hex", "?find=hunter2"):
            page = support.get(f"/messages/{message.pk}/payload/{query}").content.decode()
            assert HIDDEN in page
            assert "hunter2" not in page

    def test_reports_that_values_are_masked_and_offers_no_other_form(self, support):
        page = support.get(f"/messages/{make_message().pk}/payload/").content.decode()
        assert "Values are masked" in page
        assert "view=hex" not in page
        assert "download/" not in page

    @pytest.mark.parametrize("name", quick_first(LARGE))
    def test_shows_a_piece_of_20_megabytes_quickly_with_little_memory(self, reader, name):
        address = f"/messages/{make_message(payload=LARGE[name]).pk}/payload/"
        for query in (
            "",
            "?view=raw",
            "?view=raw&from=19000000",
            "?view=hex&from=0x1200000",
            "?from=19000000",
        ):
            began = time.process_time()
            with peak_growth() as growth:
                response = reader.get(address + query)
            assert response.status_code == 200
            assert time.process_time() - began < MAX_SECONDS, (name, query)
            assert growth[0] < MAX_MEMORY, (name, query)
            assert len(response.content) < MAX_PAGE_BYTES, (name, query)
            assert "Show more" in response.content.decode()

    def test_finds_a_word_at_the_end_of_20_megabytes(self, reader):
        message = make_message(payload="<list>" + "<item>žluť</item>\n" * 1_000_000 + "<last/></list>")
        query, found = "?find=LAST", False
        while not found:
            began = time.process_time()
            page = text_of(reader.get(f"/messages/{message.pk}/payload/{query}"))
            assert time.process_time() - began < MAX_SECONDS
            found = "1 match for" in page
            query = found or re.search(r'href="[^"]*(\?[^"]*find_from=\d+)"', page)[1].replace("&amp;", "&")
        assert "&lt;last" in source_of(page)

    def test_highlights_hits_in_their_lines(self, reader):
        items = "".join(f"<item><sku>{n}</sku></item>" for n in range(2 * PIECE_LINES))
        message = make_message(payload=f"<list>{items}</list>")
        address = f"/messages/{message.pk}/payload/"
        page = reader.get(f"{address}?find=>1900<").content.decode()
        assert 'class="is-hit"' in source_of(page)
        assert 'data-n="5703" data-d="2" class="is-hit" id="hit-payload-' in source_of(page)

    def test_continues_where_a_piece_ends(self, reader):
        items = "".join(f"<item>{n}</item>" for n in range(2 * PIECE_LINES))
        address = f"/messages/{make_message(payload=f'<list>{items}</list>').pk}/payload/"
        shown, query = "", ""
        while query is not None:
            page = reader.get(address + query, headers={"HX-Request": "true"}).content.decode()
            shown += strip_tags(source_of(page))
            more = re.search(r'href="[^"]*(\?[^"]*from=[^"]*)"(?:[^>"]|"[^"]*")*>\s*Show more', page)
            query = more and more[1].replace("&amp;", "&")
        numbers = [int(number) for number in re.findall(r"item&gt;(\d+)&lt;", shown)]
        assert numbers == list(range(2 * PIECE_LINES))

    def test_shows_where_a_text_is_not_well_formed_and_links_to_it(self, reader):
        message = make_message(payload="<order>" + "<item/>" * 1000 + "<id>7</od></order>")
        page = reader.get(f"/messages/{message.pk}/payload/").content.decode()
        assert "Not well-formed: line 1, column 70" in page
        assert "<mark>" in page
        query = re.search(r'href="[^"]*(\?view=raw&amp;from=\d+)"', page)[1].replace("&amp;", "&")
        there = reader.get(f"/messages/{message.pk}/payload/{query}").content.decode()
        assert "&lt;/od&gt;" in source_of(there)

    def test_shows_hexadecimal_in_pages(self, reader):
        message = make_message(payload="0123456789abcdef" * 2000)
        page = reader.get(f"/messages/{message.pk}/payload/?view=hex&from=0x2003").content.decode()
        assert "00002000" in page
        assert "30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66" in page
        assert "Previous part" in page

    @pytest.mark.parametrize(
        "payload", ["", "<a>", "\x01\x02", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "{", "[1"]
    )
    def test_opens_any_stored_text(self, reader, support, payload):
        message = make_message(payload=payload, envelope=None)
        for client in (reader, support):
            for query in ("", "?view=raw", "?view=hex", "?view=laid-out", "?find=x", "?from=99999"):
                assert client.get(f"/messages/{message.pk}/payload/{query}").status_code == 200
            assert "Not recorded." in client.get(f"/messages/{message.pk}/envelope/").content.decode()

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("view=pretty", "view"),
            ("from=-1", "from"),
            ("from=x", "from"),
            ("from=99999999999", "from"),
            ("from=0&line=x", "line"),
            ("from=0&depth=-1", "depth"),
            ("from=0&inside=open", "inside"),
            ("find=", "find"),
            ("find=" + "x" * 201, "find"),
            ("find=%00", "find"),
            ("find=a&find_from=b", "find_from"),
            ("raw=true", "raw"),
            ("view=raw&view=hex", "view"),
        ],
    )
    def test_rejects_invalid_parameters_by_name(self, reader, query, field):
        response = reader.get(f"/messages/{make_message().pk}/payload/?{query}")
        assert response.status_code == 400
        assert field in response.content.decode()

    def test_returns_only_the_part_to_a_script(self, reader):
        message = make_message()
        part = reader.get(f"/messages/{message.pk}/payload/", headers={"HX-Request": "true"})
        assert b"<html" not in part.content
        assert b"customer" in part.content
        assert f'hx-get="/messages/{message.pk}/payload/?view=raw"' in part.content.decode()
        assert f'href="/messages/{message.pk}/payload/download/"' in part.content.decode()

    def test_redirects_the_whole_page_to_log_in(self, client):
        response = client.get("/messages/1/payload/", headers={"HX-Request": "true"})
        assert (response.status_code, response.headers["HX-Redirect"]) == (401, "/login/?next=/")

    def test_shows_an_archived_message(self, reader):
        message = make_archived_message(payload="<old/>")
        assert b"old" in reader.get(f"/messages/{message.pk}/payload/").content

    def test_returns_404_for_an_unknown_id(self, reader):
        assert reader.get("/messages/1/payload/").status_code == 404
        assert reader.get("/messages/1/requests/1/").status_code == 404

    def test_shows_markup_as_text(self, reader):
        payload = "<a x='<'><![CDATA[</pre><script>alert(1)</script>]]></a><img src=x onerror=alert(1)>"
        address = f"/messages/{make_message(payload=payload).pk}/payload/"
        for query in ("", "?view=raw", "?view=laid-out", "?view=hex", "?find=<script>", "?find=onerror"):
            page = reader.get(address + query).content.decode()
            assert "<script>alert" not in page
            assert "<img" not in page


class TestDownload:
    def test_sends_every_byte_as_a_file(self, reader):
        text = "<a>\r\nž\u2028\U0001f600" + "y" * 9_000_000 + "</a>"
        message = make_message(payload=text)
        response = reader.get(f"/messages/{message.pk}/payload/download/")
        assert downloaded(response) == text.encode()
        assert response.headers["Content-Type"] == "application/octet-stream"
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        policy = response.headers["Content-Security-Policy"].split("; ")
        assert policy[:2] == ["sandbox", "default-src 'none'"]

    def test_requires_the_permission_to_view_payloads(self, support):
        message = make_message()
        assert support.get(f"/messages/{message.pk}/payload/download/").status_code == 403
        entry = AuditEntry.objects.get(msg_id=message.pk)
        assert (entry.action, entry.outcome) == ("view_payload", "refused")

    def test_sends_an_empty_file_if_nothing_is_stored(self, reader):
        message = make_message(envelope=None)
        assert downloaded(reader.get(f"/messages/{message.pk}/envelope/download/")) == b""

    def test_ends_if_the_row_is_deleted_meanwhile(self, reader):
        message = make_message()
        response = reader.get(f"/messages/{message.pk}/payload/download/")
        Message.objects.all().delete()
        assert downloaded(response) == b""

    def test_sends_responses_too(self, reader):
        message = make_message()
        row = make_response(make_request(message))
        address = f"/messages/{message.pk}/responses/{row.pk}/download/"
        assert downloaded(reader.get(address)) == PAYLOAD.encode()


class TestSegments:
    HL7 = "MSH|^~\\&|A|B\rPID|1||42||X\rPV1|1|O\r"

    def test_show_each_on_a_line_with_its_name(self, reader):
        message = make_message(payload=self.HL7)
        page = reader.get(f"/messages/{message.pk}/payload/").content.decode()
        assert re.findall(r'data-n="(\d)"[^>]*><span class="a">(\w+)', page) == [
            ("1", "MSH"),
            ("2", "PID"),
            ("3", "PV1"),
        ]
        assert '<i data-segment="Patient identification"></i>' in page
        assert "x-application/hl7-v2+er7" in page
        file = reader.get(f"/messages/{message.pk}/payload/download/")
        assert b"".join(file.streaming_content) == self.HL7.encode()

    @pytest.mark.parametrize("payload", [HL7, "UNA:+.? 'UNB+X'PID+42'", HL7.replace("\r", "\r\n")])
    def test_are_named_by_the_search(self, reader, payload):
        message = make_message(payload=payload)
        page = strip_tags(text_of(reader.get(f"/messages/{message.pk}/payload/", {"find": "42"})))
        assert re.search(r"Byte \d+ *PID", page)

    def test_are_found_in_a_large_message(self, reader):
        payload = "UNA:+.? 'UNB+UNOA:1'" + "LIN+1'QTY+21:5'" * 200_000 + "UNT+needle'"
        message = make_message(payload=payload)
        page = strip_tags(text_of(reader.get(f"/messages/{message.pk}/payload/", {"find": "needle"})))
        assert "UNT Message trailer" in page


class TestHtml:
    def test_is_named_as_what_it_is(self, reader, support):
        message = make_message(payload="<!DOCTYPE html>\n<html><body>bad gateway<br></body></html>")
        page = text_of(reader.get(f"/messages/{message.pk}/payload/"))
        assert "An HTML page, as proxies and application servers send for an error." in page
        assert "text/html" in page
        assert "DTD" not in page
        assert "bad gateway" not in text_of(support.get(f"/messages/{message.pk}/payload/"))
