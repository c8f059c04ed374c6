import pytest

from messages_app.payloads.content_types import TEXT, guess_type
from messages_app.shared.markup import HTML, JSON, XML


class TestGuess:
    @pytest.mark.parametrize(
        ("text", "content_type"),
        [
            ("\ufeff\n <a/>", XML),
            ("<not closed", XML),
            ('{ "a": 1}', JSON),
            ("{}", JSON),
            ("[]", JSON),
            ("[1.5e3, 2]", JSON),
            ("[[", JSON),
            ("{name}", TEXT),
            ("[ERROR] refused", TEXT),
            ("[2026-11-01 12:00:00] started", TEXT),
            ("UNA:+.? '", "application/EDIFACT"),
            ("STX=ANA:1+A+B'", "application/EDI-Consent"),
            ("MSH|^~\\&|A", "x-application/hl7-v2+er7"),
            ("{1:F01BANKBEBB}", "text/x-swift-mt"),
            ("<!DOCTYPE html>\n<html>", HTML),
            ("<!-- x --><HTML><body>", HTML),
            ("<htmlish/>", XML),
            ("{'a': 0}", JSON),
            ('{a: "b"}', JSON),
            ("[1.]", JSON),
            ("{level}: {message}", TEXT),
            ("", TEXT),
        ],
    )
    def test_uses_the_beginning(self, text, content_type):
        assert guess_type(text) == content_type
