import pytest

from messages_app.shared.corrected_payloads import MAX_EDITED_BYTES, fault_of_correction

XML, JSON, TEXT = "<a>1</a>", '{"a": 1}', "UNA:+.? 'UNB+UNOA:1"


def code_of(payload: str, before: str) -> str:
    fault = fault_of_correction(payload, before=before)
    assert fault is None or fault.text
    return fault.code if fault else ""


class TestFaultOfCorrection:
    @pytest.mark.parametrize(
        ("before", "payload"),
        [
            (XML, "<b/>"),
            (XML, '\ufeff<?xml version="1.0" encoding="utf-16"?>\n<b/>'),
            ("<a><b></a>", XML),
            (JSON, "[1, 2]"),
            ("{'a': 1}", JSON),
            ("{a: 1}", '{"a": 2}'),
            (TEXT, "anything < at all"),
            ("", "<a>"),
            ("<html><body>502</body></html>", "plain"),
        ],
    )
    def test_accepts_a_text_of_the_type_of_the_original(self, before, payload):
        assert code_of(payload, before) == ""

    @pytest.mark.parametrize(
        ("before", "payload", "code"),
        [
            (XML, "<a>", "not_well_formed"),
            (XML, "<a>&unknown;</a>", "not_well_formed"),
            (XML, '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "not_well_formed"),
            (XML, "<a>\x01</a>", "not_well_formed"),
            (XML, JSON, "other_type"),
            (XML, "plain", "other_type"),
            ("<a><b></a>", "<a><b></a> ", "not_well_formed"),
            (JSON, '{"a": }', "not_well_formed"),
            (JSON, '{"a": NaN}', "not_well_formed"),
            (JSON, '{"a": 1, "a": 2}', "not_well_formed"),
            (JSON, XML, "other_type"),
            (JSON, "[" * 100_000, "not_well_formed"),
            (XML, XML, "unchanged"),
            (TEXT, TEXT, "unchanged"),
            (XML, " \n ", "required"),
            (TEXT, "", "required"),
            (XML, "<a>\0</a>", "invalid_value"),
            (TEXT, "\ud800", "invalid_value"),
            (XML, "<a>•••</a>", "masked"),
            (TEXT, "customer •••", "masked"),
            (TEXT, "x" * (MAX_EDITED_BYTES + 1), "too_long"),
            (TEXT, "ř" * (MAX_EDITED_BYTES // 2 + 1), "too_long"),
        ],
    )
    def test_names_the_field_and_the_fault(self, before, payload, code):
        assert code_of(payload, before) == code

    def test_has_the_place_of_the_fault(self):
        fault = fault_of_correction("<a>\n<b></a>", before=XML)
        assert (fault.line, fault.column) == (2, 8)
        assert "line 2, column 8" in fault.text

    def test_lets_a_mark_stay_that_the_original_has(self):
        assert code_of("<a>•••</a><!-- c -->", "<a>•••</a>") == ""
