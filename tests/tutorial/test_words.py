"""Words of the tutorial are on the page as they are written, except the parts that vary."""

import pytest

from tests.tutorial.words import is_shown, split_lines

PAGE = split_lines(
    "Incident 3\n46\u00a0messages  failing now\nAll 1\u202f046 were processed by 03:06 after job 1\n"
)


class TestIsShown:
    @pytest.mark.parametrize(
        "words",
        [
            "46 messages failing now",
            "… messages failing now",
            "All … were processed by … after job 1",
            "Incident",
        ],
    )
    def test_finds_words_on_one_line_with_parts_that_vary(self, words):
        assert is_shown(words, PAGE)

    @pytest.mark.parametrize(
        "words",
        [
            "46 message",
            "messages were failing",
            "Incident 3 46 messages",
            "Incident …",
            "All … after job 2",
            "incident 3",
            "6 messages failing now",
        ],
    )
    def test_does_not_find_other_words_or_parts_of_words(self, words):
        assert not is_shown(words, [*PAGE[1:], "Incident"])
