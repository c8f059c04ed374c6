import pytest

from messages_app.message_store.services.records import keys_meant, plain_key, stored_key, written_key

KEYS = [
    (["C-10040"], "C-10040", "C-10040"),
    ([7], "7", "7"),
    (["7"], "7", "7"),
    (["a", 7], "a / 7", '["a",7]'),
    (["[1]"], "[1]", '["[1]"]'),
    (["ä b"], "ä b", "ä b"),
    ([-3], "-3", "-3"),
    (["007"], "007", "007"),
]


class TestKeys:
    @pytest.mark.parametrize(("values", "plain", "written"), KEYS)
    def test_are_written_plainly_and_found_by_that_text(self, values, plain, written):
        key = stored_key(values)
        assert (plain_key(key), written_key(key)) == (plain, written)
        assert key in keys_meant(written)

    @pytest.mark.parametrize("text", ["", "[", "[]", "[true]", "[[1]]", "{}", "[1.5]", "[null]", "[" * 5000])
    def test_are_shown_unchanged_if_they_are_invalid(self, text):
        assert plain_key(text) == text
        assert keys_meant(text) == [stored_key([text])]

    def test_mean_a_number_and_a_text_if_only_digits_are_written(self):
        assert keys_meant("7") == ['["7"]', "[7]"]
        assert keys_meant("007") == ['["007"]']
        assert keys_meant('["7"]') == ['["7"]']
        assert keys_meant("٣") == ['["٣"]']
