import pytest

from messages_app.shared.error_acknowledgements import read_acknowledgement


class TestReadAcknowledgement:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("UNB+UNOC:3+A+B'UCI+100+B:14+A:14+4+12'UNZ+1+1'", "UCI 4 12"),
            (
                "UCM+77+ORDERS:D:96A:UN+4+13'UCS+3+15'UCD+12+4:1'",
                "UCM ORDERS:D:96A:UN 4 13, UCS 15, UCD 12 4:1",
            ),
            ("ERC+Z10::293'FTX+AAO+++Kunde 4711 unbekannt'", "ERC Z10::293, FTX Kunde … unbekannt"),
            ("TA1*000000101*260501*1010*R*001~", "TA1 R 001"),
            ("AK2*850*0003~AK3*N1*44**8~AK4*2**1*Miller~AK5*R*5~", "AK2 850, AK3 N1 8, AK4 2 1, AK5 R 5"),
            (
                "MSH|^~\\&|LAB|A|B|C\rMSA|AE|MSG1|Unknown patient 12\rERR||PID^1^3|204^Unknown key|E",
                "MSA AE Unknown patient …, ERR PID^1^3 204^Unknown key E",
            ),
            ("MSA|AE|MSG00231|Unknown class|||207^Internal", "MSA AE Unknown class 207^Internal"),
        ],
    )
    def test_keeps_codes_and_places_of_errors(self, text, expected):
        assert read_acknowledgement(text) == expected

    @pytest.mark.parametrize(
        "text", ["", "997 for 12: AK5*R*5, rejected", "UCI+1 was rejected", "a+b'c*d~e|f"]
    )
    def test_is_empty_for_other_texts(self, text):
        assert read_acknowledgement(text) == ""
