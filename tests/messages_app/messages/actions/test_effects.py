import pytest

from messages_app.messages.actions.effects import counted


class TestCounted:
    @pytest.mark.parametrize(
        ("number", "noun", "more", "text"),
        [
            (1, "child", False, "1 child"),
            (3, "child", False, "3 children"),
            (200, "child", True, "200 or more children"),
            (0, "message", False, "0 messages"),
        ],
    )
    def test_writes_the_noun_as_the_number_wants_it(self, number, noun, more, text):
        assert counted(number, noun, more=more) == text
