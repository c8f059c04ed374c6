import pytest

from messages_app.shared.visible_text import is_blank


class TestIsBlank:
    @pytest.mark.parametrize(
        "text",
        ["", " \n\t", "\u200b", "\u200b \u2060", "\u3164", "\u2800", "\ufeff", "\ufe0f", "\u00ad", "\x1b"],
    )
    def test_is_true_without_a_visible_character(self, text):
        assert is_blank(text)

    @pytest.mark.parametrize("text", ["a", "\u200ba\u200b", ".", "\u2764\ufe0f", "\u0301", "字"])
    def test_is_false_with_one(self, text):
        assert not is_blank(text)
