import socket
import threading
import time
import tracemalloc

import pytest

from messages_app.payloads.layout import Place, lay_out
from messages_app.payloads.masking import MASKED_ATTRIBUTES
from messages_app.payloads.payload_view import HIDDEN, payload_view
from messages_app.shared.text_safety import MASK
from messages_app.shared.xml_parsing import CHECKED_BYTES, TOO_LARGE

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BILLION_LAUGHS = f"<!DOCTYPE a [<!ENTITY l0 'ha'>{LAUGHS}]><a>&l9;</a>"
QUADRATIC = f'<!DOCTYPE a [<!ENTITY e "{"x" * 100_000}">]><a>{"&e;" * 1000}</a>'

# Texts, and the message of the page about each.
NOT_SOUND = [
    ("<a>", "Not well-formed: line 1, column 4"),
    ("<a/><b/>", "Extra content"),
    ('<a b="1" b="2"/>', "redefined"),
    ("<a>&nope;</a>", "not defined"),
    ("<a>\x01</a>", "invalid Char"),
    ("<a>&#0;</a>", "invalid"),
    ("<a>]]></a>", "not allowed"),
    ("<a>" * 200_000, "nested too deeply"),
    (BILLION_LAUGHS, "DTD"),
    (QUADRATIC, "DTD"),
    ('<!DOCTYPE a [<!ENTITY e "ok">]><a>&e;</a>', "DTD"),
    ("<!DOCTYPE html><a/>", "An HTML page"),
    ("<!DOCTYPE html>\n<html><body>bad gateway<br></body></html>", "An HTML page"),
    ('{"amount": NaN, "limit": Infinity}', "Not well-formed: line 1, column 12: JSON has no NaN."),
    ('{"id": 1, "id": 2}', 'The name "id" is twice in one object: line 1, column 11.'),
    ("[1.]", "Not well-formed"),
    ("<!-- first --><?and then?>\n<!DOCTYPE html><a/>", "DTD"),
    ("<?x ?>" * 50_000 + "<a", "Not well-formed"),
    ('{"a": 1,}', "Not well-formed: line 1, column"),
    ("[" * 100_000, "nested too deeply"),
]


def html_of(text: str) -> str:
    view = payload_view(text, masked=False)
    piece = lay_out(text, Place(), content_type=view.content_type, is_end=True)
    return "".join(line.text for line in piece.lines)


class TestPayloadView:
    @pytest.mark.parametrize(
        ("text", "content_type"),
        [
            ("<a><b>1</b></a>", "application/xml"),
            ('{"a": [1]}', "application/json"),
            (f'{{"a": {"9" * 5000}}}', "application/json"),
            ("UNA:+.? '", "application/EDIFACT"),
            ("[2026-11-01] started", "text/plain"),
        ],
    )
    def test_recognizes_a_well_formed_text(self, text, content_type):
        view = payload_view(text, masked=False)
        assert (view.content_type, view.bytes, view.problem) == (content_type, len(text), "")

    def test_hides_a_large_text_whose_beginning_is_blank(self):
        view = payload_view(" " * 1000, masked=True, stored_bytes=CHECKED_BYTES + 1)
        assert (view.masked, view.content) == (True, None)

    def test_does_not_change_the_stored_text(self):
        text = '\ufeff<?xml version="1.0" encoding="UTF-16"?>\r\n<!-- c --><a  x = "1">ž<b/></a><?end?>'
        view = payload_view(text, masked=False)
        assert (view.content, view.bytes, view.problem) == (text, len(text.encode()), "")

    @pytest.mark.parametrize(("text", "problem"), NOT_SOUND)
    def test_explains_why_a_text_is_not_well_formed(self, text, problem):
        view = payload_view(text, masked=False)
        assert problem in view.problem
        assert "XML_PARSE" not in view.problem
        assert view.content == text

    @pytest.mark.parametrize(("text", "problem"), NOT_SOUND)
    def test_hides_unparsable_text_completely_from_a_masked_reader(self, text, problem):
        view = payload_view(text, masked=True)
        assert (view.content, view.problem, view.fault) == (None, HIDDEN, None)
        assert view.masked

    @pytest.mark.parametrize("text", [BILLION_LAUGHS, QUADRATIC])
    def test_reads_a_bomb_quickly_and_with_little_memory(self, text):
        tracemalloc.start()
        began = time.process_time()
        payload_view(text, masked=False)
        seconds, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert seconds < 5
        assert peak < 10_000_000

    @pytest.mark.parametrize(
        ("text", "before", "at", "after"),
        [
            ("<order>\n  <id>7</od>\n</order>", "\n  <id>7</od>", "\n", "</order>"),
            ('\n\n{"id": 7, "name" 8}', '"name" ', "8", "}"),
            ("<a>", "<a", ">", ""),
            ("<ž>žžž&no;</ž>", "žžž&no;", "<", "/ž>"),
        ],
    )
    def test_shows_the_place_of_the_fault(self, text, before, at, after):
        fault = payload_view(text, masked=False).fault
        assert fault.before.endswith(before)
        assert (fault.at, fault.after) == (at, after)
        assert text.encode()[fault.offset :].decode().startswith(at)

    def test_counts_the_lines_before_the_text(self):
        fault = payload_view("\n\n  <a>&x;</a>", masked=False).fault
        assert (fault.line, fault.at) == (3, "<")

    @pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
    def test_reports_that_a_payload_is_empty(self, text):
        assert payload_view(text, masked=True).problem == "The payload is empty."

    def test_reports_that_none_was_recorded(self):
        view = payload_view(None, masked=True)
        assert (view.content, view.content_type, view.problem) == (None, None, "Not recorded.")

    def test_replaces_every_value_for_a_masked_reader(self):
        secret = "hunter2"
        text = (
            f'<?xml version="1.0"?><!--{secret}--><?pi {secret}?>'
            f'<a x="{secret}" xmlns:n="urn:{secret}" xmlns="{secret}">{secret}'
            f"<n:b xmlns='urn:{secret}:2' n:y='{secret}'><![CDATA[{secret}]]></n:b>{secret}"
            f"<!--{secret}--></a><!--{secret}-->"
        )
        view = payload_view(text, masked=True)
        assert secret not in view.content
        assert view.content.count(MASK) == 9
        assert view.content.count('"masked:') == 3
        assert payload_view(view.content, masked=False).problem == ""
        assert "<n:b" in view.content

    @pytest.mark.parametrize("text", ['{"password": "hunter2"}', "hunter2"])
    def test_hides_invalid_xml_completely(self, text):
        assert payload_view(text, masked=True).content is None

    def test_hides_text_that_is_costly_to_mask_completely(self):
        attributes = "".join(f' x{n}="1"' for n in range(MASKED_ATTRIBUTES + 1))
        assert payload_view(f"<a{attributes}/>", masked=True).problem == HIDDEN
        assert payload_view("<a>" + "x" * CHECKED_BYTES + "</a>", masked=True).problem == HIDDEN

    @pytest.mark.parametrize("start", ["<a>", '{"a": '])
    def test_does_not_check_large_text(self, start):
        view = payload_view(start, masked=False, stored_bytes=CHECKED_BYTES + 1)
        assert (view.problem, view.bytes) == (TOO_LARGE, CHECKED_BYTES + 1)

    def test_follows_no_address_and_opens_no_file(self, tmp_path):
        secret = tmp_path / "secret"
        secret.write_text("hunter2")
        with socket.create_server(("127.0.0.1", 0)) as listener:
            asked = threading.Event()
            threading.Thread(target=_note_connection, args=(listener, asked), daemon=True).start()
            remote = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
            for text in _reaching_texts(secret, remote):
                assert "hunter2" not in html_of(text)
            assert not asked.wait(0.2)


def _note_connection(listener: socket.socket, asked: threading.Event) -> None:
    try:
        listener.accept()
    except OSError:
        return
    asked.set()


def _reaching_texts(secret, remote: str) -> list[str]:
    return [
        f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{secret}">]><a>&e;</a>',
        f'<!DOCTYPE a SYSTEM "{remote}"><a/>',
        f'<!DOCTYPE a [<!ENTITY % p SYSTEM "{remote}">%p;]><a/>',
        f'<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{secret}" parse="text"/></a>',
        f'<a xmlns:x="http://www.w3.org/2001/XMLSchema-instance" x:schemaLocation="u {remote}"/>',
        f'<?xml-stylesheet href="{remote}"?><a/>',
    ]
