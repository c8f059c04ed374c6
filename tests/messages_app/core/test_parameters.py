import pytest

from messages_app.core.parameters import MAX_ID, MIN_ID, read_id, whole_number
from messages_app.core.problems import Problem
from tests.support.page_client import client_of, text_of


class TestReadId:
    @pytest.mark.parametrize(
        ("text", "number"),
        [("0", 0), ("17", 17), ("0017", 17), (str(MAX_ID), MAX_ID), ("-5", -5), (str(MIN_ID), MIN_ID)],
    )
    def test_reads_plain_digits(self, text, number):
        assert read_id(text) == number

    @pytest.mark.parametrize(
        "text",
        ["", "--1", "-", str(MIN_ID - 1), "1_0", "1.0", " 1", "x", "\u0661", str(MAX_ID + 1), "9" * 99],
    )
    def test_accepts_nothing_else(self, text):
        assert read_id(text) is None


class TestWholeNumber:
    @pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("60", 60)])
    def test_is_read(self, text, number):
        assert whole_number("wait", text, least=0, most=60) == number

    @pytest.mark.parametrize("text", ["abc", "", "1.5", "1e3", "+5", " 5", "٣", "0x1", "--1"])
    def test_of_another_type_is_invalid(self, text):
        with pytest.raises(Problem) as caught:
            whole_number("wait", text, least=0, most=60)
        assert [(error.field, error.code) for error in caught.value.errors] == [("wait", "invalid_value")]
        assert caught.value.detail == f"wait must be a whole number from 0 to 60, not {text!r}."

    @pytest.mark.parametrize("text", ["-1", "61", "9" * 5000, "-" + "9" * 5000])
    def test_outside_the_limits_is_out_of_range(self, text):
        with pytest.raises(Problem) as caught:
            whole_number("wait", text, least=0, most=60)
        assert [(error.field, error.code) for error in caught.value.errors] == [("wait", "out_of_range")]


class TestCheckNames:
    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("address", "wrong", "name"),
        [
            ("/keys/", "valeu", "value"),
            ("/messages/find/", "idd", "id"),
            ("/messages/find/part/", "idd", "id"),
            ("/jobs/", "kinds", "kind"),
            ("/cp-queue/", "aftre", "after"),
            ("/cp-queue/queue/", "queuenam", "queuename"),
            ("/cp-queue/objects/", "osdi", "osid"),
            ("/cp-queue/services/dispatch/", "servcie", "service"),
            ("/document-history/", "cursro", "cursor"),
            ("/document-history/sweeper/", "cursro", "cursor"),
            ("/message-store/definitions/", "cursro", "cursor"),
        ],
    )
    def test_lets_pages_refuse_unknown_and_repeated_parameters(self, address, wrong, name):
        client = client_of("admin")
        refused = client.get(f"{address}?{name}=7&{wrong}=7")
        assert refused.status_code == 400
        assert f"Unknown parameter &#x27;{wrong}&#x27;. Did you mean &#x27;{name}&#x27;?" in text_of(refused)
        repeated = client.get(f"{address}?{name}=7&{name}=7")
        assert repeated.status_code == 400
        assert f"{name} is given more than once." in text_of(repeated)
