import socket
import threading

import pytest

from messages_app.messages.contents.payloads import (
    HIDDEN,
    LAID_OUT_BYTES,
    MASK,
    MASKED_ATTRIBUTES,
    SHOWN_CHARS,
    marked,
    payload_view,
)

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))

# Text, and what the page says about it.
NOT_LAID_OUT = [
    ("<a>", "Not well-formed: line 1, column 4"),
    ("<a/><b/>", "Extra content"),
    ('<a b="1" b="2"/>', "redefined"),
    ("<a>&nope;</a>", "not defined"),
    ("<a>\x01</a>", "invalid Char"),
    ("<a>&#0;</a>", "invalid"),
    ("<a>]]></a>", "not allowed"),
    ("<a>" * 200_000, "Nested too deeply"),
    (f"<!DOCTYPE a [<!ENTITY l0 'ha'>{LAUGHS}]><a>&l9;</a>", "DTD"),
    ('<!DOCTYPE a [<!ENTITY e "ok">]><a>&e;</a>', "DTD"),
    ("<!DOCTYPE html><a/>", "DTD"),
    ("<!-- first --><?and then?>\n<!DOCTYPE html><a/>", "DTD"),
    ("<?x ?>" * 50_000 + "<a", "Not well-formed"),
]


class TestPayloadView:
    def test_lays_xml_out(self):
        view = payload_view("<a><b>1</b><c/></a>", masked=False)
        assert view.shown == "<a>\n  <b>1</b>\n  <c/>\n</a>"
        assert (view.content_type, view.bytes, view.problem) == ("application/xml", 19, "")

    def test_leaves_the_stored_text_as_it_is(self):
        text = '\ufeff<?xml version="1.0" encoding="UTF-16"?>\r\n<!-- c --><a  x = "1">ž<b/></a><?end?>'
        view = payload_view(text, masked=False)
        assert view.content == text
        assert view.bytes == len(text.encode())
        assert '<?xml version="1.0" encoding="UTF-16"?>' in view.shown
        assert "<!-- c -->" in view.shown
        assert "<?end?>" in view.shown

    @pytest.mark.parametrize(("text", "problem"), NOT_LAID_OUT)
    def test_says_why_a_text_is_not_laid_out_and_shows_it_as_stored(self, text, problem):
        view = payload_view(text, masked=False)
        assert problem in view.problem
        assert "XML_PARSE" not in view.problem
        assert view.shown == text[:SHOWN_CHARS]
        assert view.content == text

    @pytest.mark.parametrize(("text", "problem"), NOT_LAID_OUT)
    def test_hides_whole_from_a_masked_reader_what_it_cannot_parse(self, text, problem):
        view = payload_view(text, masked=True)
        assert (view.content, view.shown, view.problem) == (None, "", HIDDEN)
        assert view.masked

    @pytest.mark.parametrize("text", ["", "  \n", "\ufeff"])
    def test_says_that_a_payload_is_empty(self, text):
        assert payload_view(text, masked=True).problem == "Payload is empty."

    def test_says_that_none_was_recorded(self):
        view = payload_view(None, masked=True)
        assert (view.content, view.content_type, view.problem) == (None, None, "Not recorded.")

    @pytest.mark.parametrize(
        ("text", "content_type"),
        [("UNA:+.? '", "text/plain"), ('{"a": [1]}', "application/json"), ("[" * 100_000, "text/plain")],
    )
    def test_guesses_what_else_a_text_is(self, text, content_type):
        view = payload_view(text, masked=False)
        assert (view.content_type, view.problem, view.shown) == (content_type, "", text)

    def test_replaces_every_value_for_a_masked_reader(self):
        secret = "hunter2"
        text = (
            f'<?xml version="1.0"?><!--{secret}--><?pi {secret}?><a x="{secret}" xmlns:n="urn:n">{secret}'
            f"<n:b n:y='{secret}'><![CDATA[{secret}]]></n:b>{secret}<!--{secret}--></a><!--{secret}-->"
        )
        view = payload_view(text, masked=True)
        assert secret not in view.content
        assert secret not in view.html
        assert view.content.count(MASK) == 9
        assert "<n:b" in view.shown

    def test_hides_whole_what_is_costly_to_mask(self):
        attributes = "".join(f' x{n}="1"' for n in range(MASKED_ATTRIBUTES + 1))
        assert payload_view(f"<a{attributes}/>", masked=True).problem == HIDDEN
        assert payload_view("<a>" + "x" * LAID_OUT_BYTES + "</a>", masked=True).problem == HIDDEN

    def test_shows_the_beginning_of_a_large_text(self):
        text = "<a>" + "<b/>" * 5_000_000 + "</a>"
        view = payload_view(text, masked=False)
        assert (view.shown, view.bytes, view.is_cut) == (text[:SHOWN_CHARS], len(text), True)

    def test_knows_that_it_was_given_the_beginning_only(self):
        view = payload_view("<a>", masked=False, stored_bytes=LAID_OUT_BYTES + 1)
        assert (view.bytes, view.is_cut) == (LAID_OUT_BYTES + 1, True)

    def test_follows_no_address_and_opens_no_file(self, tmp_path):
        secret = tmp_path / "secret"
        secret.write_text("hunter2")
        with socket.create_server(("127.0.0.1", 0)) as listener:
            asked = threading.Event()
            threading.Thread(target=_note_connection, args=(listener, asked), daemon=True).start()
            remote = f"http://127.0.0.1:{listener.getsockname()[1]}/x"
            for text in _reaching_texts(secret, remote):
                assert "hunter2" not in payload_view(text, masked=False).html
            assert not asked.wait(0.2)

    def test_keeps_markup_in_a_payload_from_being_markup_of_the_page(self):
        view = payload_view("<a x='<'><![CDATA[</pre><script>alert(1)</script>]]></a>", masked=False)
        assert "<script" not in view.html
        assert "<script" not in payload_view("<img src=x onerror=alert(1)>", masked=False).html
        assert "<img" not in payload_view("<img src=x onerror=alert(1)>", masked=False).html

    def test_makes_hidden_characters_visible(self):
        html = payload_view("<a>\u202egpj.exe</a>", masked=False).html
        assert "\u202e" not in html
        assert "U+202E" in html


class TestMarked:
    def test_escapes_and_marks(self):
        assert marked("<b>\x1b") == '&lt;b&gt;<span class="invisible-mark">U+001B</span>'


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
