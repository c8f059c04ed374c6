import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.payloads.segments import format_of

HL7 = "MSH|^~\\&|A|B\rPID|1||42||X\rPV1|1|O\rZZZ|own\r"
ISA = (
    "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       "
    "*260101*1200*U*00401*000000001*0*P*>~"
)
MT103 = (
    "{1:F01BANKBEBBAXXX0000000000}{2:I103BANKDEFFXXXXN}{3:{108:x}}{4:\r\n:20:REF\r\n"
    ":32A:261120EUR100,\r\n:50K:/1\r\nNAME\r\nSTREET\r\n:59:/2\r\nB\r\n-}{5:{CHK:1}}"
)


def titles_of(text: str) -> list[str]:
    return [segment.title for segment in format_of(text).segments(text)]


class TestFormatOf:
    @pytest.mark.parametrize(
        ("text", "standard"),
        [
            (HL7, "HL7 v2"),
            ("\x0bMSH|^~\\&|A\r\x1c\r", "HL7 v2"),
            ("UNA:+.? 'UNB+UNOA:1'", "EDIFACT"),
            ("\r\nUNB+UNOA:1'", "EDIFACT"),
            (ISA, "X12"),
            (MT103, "SWIFT MT"),
            (":20:X\r\n:25:1\r\n", "SWIFT MT"),
        ],
    )
    def test_knows_a_message_by_its_beginning(self, text, standard):
        assert format_of(text).standard == standard

    @pytest.mark.parametrize(
        "text", ["", "MSHA", "UNA", "UNB", "ISA*00", "{1:x}", ":20:X", "PID|1", "<a/>", "{}"]
    )
    def test_takes_nothing_else_for_one(self, text):
        assert format_of(text) is None


class TestSegments:
    def test_ends_hl7_segments_at_each_carriage_return(self):
        expected = ["MSH Message header", "PID Patient identification", "PV1 Patient visit", "ZZZ"]
        assert titles_of(HL7) == expected
        for end in ("\n", "\r\n"):
            assert titles_of(HL7.replace("\r", end)) == expected

    def test_ends_edifact_segments_at_the_terminator_unless_it_is_released(self):
        text = "UNA:+.? 'UNB+UNOA:1+A+B'\nBGM+220+don?'t??'DTM+137:1:102'"
        segments = list(format_of(text).segments(text))
        assert [one.text for one in segments] == [
            "UNA:+.? '",
            "UNB+UNOA:1+A+B'",
            "BGM+220+don?'t??'",
            "DTM+137:1:102'",
        ]
        assert [one.title for one in segments][1:] == [
            "UNB Interchange header",
            "BGM Beginning of message",
            "DTM Date/time/period",
        ]

    def test_uses_the_delimiters_of_the_service_string_advice(self):
        text = "UNA.*,# ~BGM*1#~2~UNZ*1~"
        assert [one.text for one in format_of(text).segments(text)] == [
            "UNA.*,# ~",
            "BGM*1#~2~",
            "UNZ*1~",
        ]

    def test_uses_the_terminator_of_the_interchange_header(self):
        for terminator in "~|":
            text = (ISA + "GS*PO*A~\nBEG*00*SA~").replace("~", terminator)
            assert titles_of(text) == [
                "ISA Interchange control header",
                "GS Functional group header",
                "BEG Beginning segment for purchase order",
            ]

    def test_splits_swift_messages_by_block_and_field(self):
        assert titles_of(MT103) == [
            "{1: Basic header block",
            "{2: Application header block",
            "{3: User header block",
            "{4: Text block",
            ":20: Transaction reference number",
            ":32A: Value date, currency, amount",
            ":50K: Ordering customer",
            ":59: Beneficiary customer",
            "-} End of text",
            "{5: Trailer block",
        ]

    @pytest.mark.parametrize("start", ["MSH|^~\\&", "UNA:+.? '", "UNB+", ISA, "{1:F01"])
    @given(rest=st.text(alphabet="A'?~+|{}:-\r\n1", max_size=60))
    def test_adds_up_to_the_text(self, start, rest):
        text = start + rest
        assert "".join(one.text + one.end for one in format_of(text).segments(text)) == text

    @pytest.mark.parametrize(
        "text",
        [
            "UNA:+.? '" + "?" * 500_000,
            "{1:F01" + "{" * 200_000,
            "{1:F01" + "\n:x" * 200_000,
            "MSH|" + "\r" * 500_000,
            ISA + "\n" * 500_000,
        ],
    )
    def test_takes_time_in_proportion_to_the_length(self, text):
        began = time.process_time()
        list(format_of(text).segments(text))
        assert time.process_time() - began < 3
