import codecs

import pytest

from messages_app.messages.importers.encodings import encoding_fault

DECLARED = '<?xml version="1.0" encoding="{}"?>\n<a>Zoë</a>'


class TestEncodingFault:
    @pytest.mark.parametrize(
        ("raw", "words"),
        [
            (DECLARED.format("utf-16").encode(), "it declares utf-16, but is UTF-8."),
            (DECLARED.format("UTF-32").encode(), "it declares UTF-32, but is UTF-8."),
            (DECLARED.format("utf-8").encode("utf-16"), "it declares utf-8, but is UTF-16."),
            (DECLARED.format("utf-8").encode("utf-16-le"), "it declares utf-8, but is UTF-16."),
            (
                DECLARED.format("klingon").encode(),
                "it declares klingon, which is not the name of an encoding.",
            ),
            (
                DECLARED.format("utf-8").encode("latin-1"),
                "it declares utf-8, but byte 0xEB at position 45 is not utf-8.",
            ),
            (
                "<a>Zoë</a>".encode("latin-1"),
                "it declares no encoding, so it is UTF-8, but byte 0xEB at position 6 is not UTF-8.",
            ),
            (DECLARED.format("undefined").encode(), "it declares undefined, but is UTF-8."),
            (DECLARED.format("hex").encode(), "it declares hex, but is UTF-8."),
            (
                DECLARED.format("hex").encode("latin-1"),
                "it declares hex, which is not an encoding of texts.",
            ),
            (
                DECLARED.format("us-ascii").encode(),
                "it declares us-ascii, but byte 0xC3 at position 48 is not us-ascii.",
            ),
        ],
    )
    def test_names_the_declared_and_the_actual_encoding(self, raw, words):
        assert encoding_fault(raw) == words

    @pytest.mark.parametrize(
        "raw",
        [
            DECLARED.format("utf-8").encode(),
            DECLARED.format("utf-16").encode("utf-16"),
            DECLARED.format("iso-8859-1").encode("latin-1"),
            DECLARED.format("windows-1252").encode(),
            b"<a",
            b"",
        ],
    )
    def test_is_empty_if_the_encoding_is_not_to_blame(self, raw):
        assert encoding_fault(raw) == ""

    @pytest.mark.parametrize(
        ("encoding", "mark", "name"),
        [
            ("utf-8", codecs.BOM_UTF8, "UTF-8"),
            ("utf-16-le", codecs.BOM_UTF16_LE, "UTF-16"),
            ("utf-16-be", codecs.BOM_UTF16_BE, "UTF-16"),
            ("utf-32-le", codecs.BOM_UTF32_LE, "UTF-32"),
            ("utf-32-be", codecs.BOM_UTF32_BE, "UTF-32"),
        ],
    )
    @pytest.mark.parametrize("declared", ["utf-8", "utf-16", "utf-32"])
    @pytest.mark.parametrize("has_mark", [True, False])
    def test_recognizes_each_encoding_with_and_without_a_mark(self, encoding, mark, name, declared, has_mark):
        raw = (mark if has_mark else b"") + DECLARED.format(declared).encode(encoding)
        is_right = declared.upper() == name
        assert encoding_fault(raw) == ("" if is_right else f"it declares {declared}, but is {name}.")

    @pytest.mark.parametrize("blank", [b" ", b"\t", b"\r\n", b"\n\n "])
    def test_ignores_white_space_before_a_mark(self, blank):
        raw = blank + codecs.BOM_UTF8 + DECLARED.format("utf-16").encode()
        assert encoding_fault(raw) == "it declares utf-16, but is UTF-8."
