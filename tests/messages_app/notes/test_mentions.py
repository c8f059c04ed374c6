import pytest

from messages_app.notes.mentions import MAX_MENTIONS, mentions_in, split_at_names, unknown_names


class TestMentionsIn:
    @pytest.mark.parametrize(
        ("text", "spellings"),
        [
            ("@ada please", [("ada",)]),
            ("Ask @ada, @bob.", [("ada",), ("bob.", "bob")]),
            ("ops@example.org and a@b", []),
            ("@ and @. ", [(".",)]),
            ("(@ada.lovelace+x-y)", [("ada.lovelace+x-y",)]),
        ],
    )
    def test_begin_outside_of_words(self, text, spellings):
        assert [mention.spellings for mention in mentions_in(text)] == spellings

    def test_are_limited(self):
        assert len(list(mentions_in(" ".join(f"@u{number}" for number in range(5_000))))) == MAX_MENTIONS


class TestUnknownNames:
    def test_are_those_of_no_user_each_once_without_punctuation(self):
        text = "@ADA, @eve. @bob @eve @Eve"
        assert unknown_names(text, {"ada", "bob", "Bob"}) == ["eve", "Eve"]

    def test_include_a_name_that_could_mean_two_users(self):
        assert unknown_names("@BOB", {"bob", "Bob"}) == ["BOB"]
        assert unknown_names("@Bob", {"bob", "Bob"}) == []


class TestSplitAtNames:
    def test_finds_known_names_with_and_without_punctuation(self):
        parts = list(split_at_names("Hi @ada, @eve and @bob. <b>", {"ada", "bob"}))
        assert parts == [("Hi ", "ada"), (", @eve and ", "bob"), (". <b>", "")]

    def test_keeps_text_without_names(self):
        assert list(split_at_names("Hi @eve", set())) == [("Hi @eve", "")]

    def test_finds_names_in_other_upper_and_lower_case(self):
        assert list(split_at_names("Hi @ADA.", {"ada"})) == [("Hi ", "ada"), (".", "")]
