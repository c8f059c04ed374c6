import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.cp_queue import parameters
from messages_app.cp_queue.parameters import InvalidParameter


class TestQueueNames:
    @pytest.mark.parametrize(
        ("asked", "names"),
        [
            ("RENDITION", ["RENDITION"]),
            (" B ,A,, B,", ["B", "A"]),
            (["A", "B ", " B", "B", "A"], ["A", "B ", " B", "B"]),
            (["a\tb", "a,b", " "], ["a\tb", "a,b", " "]),
            ("a,A", ["a", "A"]),
            ("x" * 128, ["x" * 128]),
        ],
    )
    def test_trims_a_list_and_takes_several_names_exactly(self, asked, names):
        assert parameters.queue_names(asked) == names

    @given(st.text())
    def test_returns_names_or_refuses(self, text):
        try:
            names = parameters.queue_names(text)
        except InvalidParameter:
            return
        assert names
        assert all(name and name == name.strip() and "," not in name for name in names)
        assert parameters.queue_names(",".join(names)) == names


class TestNewQueueNames:
    def test_accepts_an_empty_list(self):
        assert parameters.new_queue_names([]) == []

    def test_refuses_a_name_that_no_list_could_contain(self):
        with pytest.raises(InvalidParameter):
            parameters.new_queue_names(["A,B"])

    @pytest.mark.parametrize("name", [" A", "A ", "\u2029A", "a\tb"])
    def test_refuses_a_name_that_a_list_would_change(self, name):
        with pytest.raises(InvalidParameter):
            parameters.new_queue_names([name])


class TestStoredQueueName:
    @pytest.mark.parametrize("name", [" lead", "trail ", "a\tb", "a,b", "\u2029", " ", "x" * 128])
    def test_returns_any_name_that_a_row_may_have(self, name):
        assert parameters.stored_queue_name(name) == name
        assert parameters.stored_service_name(name) == name

    @pytest.mark.parametrize("name", ["", "\0", "\ud800", "x" * 129])
    def test_refuses_a_name_that_no_row_can_have(self, name):
        with pytest.raises(InvalidParameter) as refused:
            parameters.stored_queue_name(name)
        assert refused.value.field == "QueueName"


class TestIsQueueName:
    @pytest.mark.parametrize("name", ["RENDITION", "a b", "a:b", "OCR/2", "Ünï", "x" * 128])
    def test_accepts_valid_names_of_queues(self, name):
        assert parameters.is_queue_name(name)

    @pytest.mark.parametrize("name", ["", " ", "A,B", ",", " A", "A ", "a\nb", "\0", "\ud800", "x" * 129])
    def test_accepts_nothing_else(self, name):
        assert not parameters.is_queue_name(name)


class TestServiceName:
    @pytest.mark.parametrize("name", ["W1", " W1", "W1 ", "Überwachung 7", "x" * 128])
    def test_does_not_change_a_name(self, name):
        assert parameters.service_name(name) == name

    @pytest.mark.parametrize("name", ["", " ", "x" * 129, "a\nb", "a\0", "\ud800"])
    def test_refuses_an_invalid_name(self, name):
        with pytest.raises(InvalidParameter) as refused:
            parameters.service_name(name)
        assert refused.value.field == "ServiceName"


class TestMessageGuid:
    def test_accepts_both_cases(self):
        assert parameters.message_guid("0123456789abcdefABCDEF0123456789") == (
            "0123456789abcdefABCDEF0123456789"
        )

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "a" * 31,
            "a" * 33,
            "g" * 32,
            "{" + "a" * 30 + "}",
            "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa",
            "a" * 32 + "\n",
            "\u0661" * 32,
        ],
    )
    def test_refuses_another_spelling(self, text):
        with pytest.raises(InvalidParameter):
            parameters.message_guid(text)
