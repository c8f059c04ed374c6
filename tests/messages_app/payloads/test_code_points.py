import pytest

from messages_app.payloads.code_points import INVISIBLE, describe_unseen, name_of, names_of


class TestNameOf:
    @pytest.mark.parametrize(
        ("char", "name"),
        [
            ("\xa0", "U+00A0 NO-BREAK SPACE"),
            ("\r", "U+000D CARRIAGE RETURN"),
            ("\U000e0041", "U+E0041 TAG LATIN CAPITAL LETTER A"),
            ("\ue000", "U+E000"),
        ],
    )
    def test_has_the_code_point_and_the_name_of_unicode(self, char, name):
        assert name_of(char) == name


class TestNamesOf:
    def test_counts_repeated_characters_and_names_the_first_few(self):
        assert names_of("  \xa0") == "U+0020 SPACE ×2, U+00A0 NO-BREAK SPACE"
        assert names_of("abcdefghij").endswith("U+0068 LATIN SMALL LETTER H, …")


class TestInvisible:
    @pytest.mark.parametrize("char", "\xa0\xad\u200b\u200d\u2028\u3164\ufeff\x00\x1f\U000e0041")
    def test_includes_what_has_no_look_of_its_own(self, char):
        assert INVISIBLE.fullmatch(char)

    @pytest.mark.parametrize("char", " \t\n\u0430P\u00eb\u0308\u20ac\U0001f4e6\ufe0f")
    def test_includes_nothing_else(self, char):
        assert not INVISIBLE.match(char)


class TestDescribeUnseen:
    @pytest.mark.parametrize(
        ("left", "right", "names"),
        [
            ("\xa0", " ", ("U+00A0 NO-BREAK SPACE", "U+0020 SPACE")),
            ("\u0420", "P", ("U+0420 CYRILLIC CAPITAL LETTER ER", "U+0050 LATIN CAPITAL LETTER P")),
            ("", " ", ("nothing", "U+0020 SPACE")),
            ("one\u200btwo three", "one two three", ("U+200B ZERO WIDTH SPACE", "only visible characters")),
        ],
    )
    def test_names_the_code_points_of_a_difference_that_cannot_be_seen(self, left, right, names):
        assert describe_unseen(left, right) == names

    @pytest.mark.parametrize(("left", "right"), [("2026", "2025"), ("foo bar", "baz"), ("ä", "a"), ("", "x")])
    def test_is_silent_about_one_that_can_be_seen(self, left, right):
        assert describe_unseen(left, right) == ("", "")
