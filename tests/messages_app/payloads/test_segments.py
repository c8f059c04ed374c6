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


TRADACOMS = (
    "STX=ANA:1+5000000000001:ANY SHOP PLC+5060000000002:XYZ LTD+230102:050903+3800++ORDHDR'\r\n"
    "MHD=1+ORDHDR:9'\r\nTYP=0430+NEW-ORDERS'\r\nMTR=3'\r\nMHD=2+ORDERS:9'\r\nCLO=:777:O?'REILLY ?+ SONS??'"
    "OLD=1+:50+70+:047836+12+68'\r\nZZZ=own'\r\nMTR=5'\r\nEND=2'"
)


def titles_of(text: str) -> list[str]:
    return [segment.title for segment in format_of(text).split_segments(text)]


class TestFormatOf:
    @pytest.mark.parametrize(
        ("text", "standard"),
        [
            (HL7, "HL7 v2"),
            ("\x0bMSH|^~\\&|A\r\x1c\r", "HL7 v2"),
            ("UNA:+.? 'UNB+UNOA:1'", "EDIFACT"),
            ("\r\nUNB+UNOA:1'", "EDIFACT"),
            (ISA, "X12"),
            (TRADACOMS, "TRADACOMS"),
            ("\r\nSTX=ANAA:1+A+B'", "TRADACOMS"),
            (MT103, "SWIFT MT"),
            (":20:X\r\n:25:1\r\n", "SWIFT MT"),
        ],
    )
    def test_knows_a_message_by_its_beginning(self, text, standard):
        assert format_of(text).standard == standard

    @pytest.mark.parametrize(
        "text",
        ["", "MSHA", "UNA", "UNB", "ISA*00", "{1:x}", ":20:X", "PID|1", "<a/>", "{}", "STX=", "STX=A+B'"],
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
        segments = list(format_of(text).split_segments(text))
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
        assert [one.text for one in format_of(text).split_segments(text)] == [
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

    def test_ends_tradacoms_segments_at_the_apostrophe_unless_it_is_released(self):
        segments = list(format_of(TRADACOMS).split_segments(TRADACOMS))
        assert [one.title for one in segments] == [
            "STX Start of transmission",
            "MHD Message header",
            "TYP Transaction type details",
            "MTR Message trailer",
            "MHD Message header",
            "CLO Customer's location",
            "OLD Order line details",
            "ZZZ",
            "MTR Message trailer",
            "END End of transmission",
        ]
        assert segments[5].text == "CLO=:777:O?'REILLY ?+ SONS??'"

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

    @pytest.mark.parametrize("start", ["MSH|^~\\&", "UNA:+.? '", "UNB+", ISA, "STX=ANA:1", "{1:F01"])
    @given(rest=st.text(alphabet="A'?~+|{}:-\r\n1", max_size=60))
    def test_adds_up_to_the_text(self, start, rest):
        text = start + rest
        assert "".join(one.text + one.end for one in format_of(text).split_segments(text)) == text

    @pytest.mark.parametrize(
        "text",
        [
            "UNA:+.? '" + "?" * 500_000,
            "STX=ANA:1" + "?" * 500_000,
            "{1:F01" + "{" * 200_000,
            "{1:F01" + "\n:x" * 200_000,
            "MSH|" + "\r" * 500_000,
            ISA + "\n" * 500_000,
        ],
    )
    def test_takes_time_in_proportion_to_the_length(self, text):
        began = time.process_time()
        list(format_of(text).split_segments(text))
        assert time.process_time() - began < 3
