import pytest

from messages_app.notes.mentions import names_in, split_at_names


class TestNamesIn:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("@ada please", {"ada"}),
            ("Ask @ada, @bob.", {"ada", "bob.", "bob"}),
            ("ops@example.org and a@b", set()),
            ("@ and @. ", {"."}),
            ("(@ada.lovelace+x-y)", {"ada.lovelace+x-y"}),
        ],
    )
    def test_of_users_begin_outside_of_words(self, text, names):
        assert names_in(text) == names

    def test_are_limited(self):
        assert len(names_in(" ".join(f"@u{number}" for number in range(5_000)))) <= 101


class TestSplitAtNames:
    def test_finds_known_names_with_and_without_punctuation(self):
        parts = list(split_at_names("Hi @ada, @eve and @bob. <b>", {"ada", "bob"}))
        assert parts == [("Hi ", "ada"), (", @eve and ", "bob"), (". <b>", "")]

    def test_keeps_text_without_names(self):
        assert list(split_at_names("Hi @eve", set())) == [("Hi @eve", "")]
