import pytest

from messages_app.payloads.text_search import pages_of, words_of


class TestWordsOf:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (
                '<a x="one">two<b y="three"> four </b>five<!-- no --><?no no?> six</a>',
                "one two three four five six",
            ),
            ("<a><![CDATA[1 < 2]]></a>", "1 < 2"),
            ('{"a": "one", "b": [2, {"c": 3.50}], "d": true, "e": null, "f": "  "}', "one 2 3.50"),
            ("plain <text>", "plain <text>"),
            ("<not closed", "<not closed"),
            ('{"not closed": ', '{"not closed": '),
            ('<!DOCTYPE a [<!ENTITY e "bomb">]><a>&e;</a>', '<!DOCTYPE a [<!ENTITY e "bomb">]><a>&e;</a>'),
            ("", ""),
        ],
    )
    def test_are_the_values_in_their_order(self, text, words):
        assert words_of(text).replace("\n", " ") == words

    def test_are_the_text_if_it_is_nested_too_deeply(self):
        text = "[" * 100_000
        assert words_of(text) == text

    def test_are_one_for_each_line(self):
        assert words_of("<a><b>1</b><b>2</b></a>") == "1\n2"


class TestPagesOf:
    @pytest.mark.parametrize(
        ("text", "pages"),
        [
            ("", 0),
            (" \n", 0),
            ("a", 1),
            ("a\n" * 60, 1),
            ("a\n" * 61, 2),
            ("a\fb", 2),
            ("a\n" * 61 + "\fb", 3),
        ],
    )
    def test_end_after_sixty_lines_or_with_a_form_feed(self, text, pages):
        assert pages_of(text) == pages
