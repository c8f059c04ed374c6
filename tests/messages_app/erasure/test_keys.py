"""The key of a subject as each table writes it, and texts without it."""

import pytest

from messages_app.audit.digests import subject_digest
from messages_app.erasure.keys import BadKey, Key, read_key
from messages_app.message_store.models import MAX_KEY


class TestKey:
    @pytest.mark.parametrize(
        ("value", "number"),
        [
            ("0", 0),
            ("4711", 4711),
            ("2147483647", 2147483647),
            ("2147483648", None),
            ("12345678901", None),
            ("04711", None),
            ("-1", None),
            ("+1", None),
            ("1.0", None),
            (" 1", None),
            ("1\n", None),
            ("\u0667", None),
            ("", None),
            ("CUST-4711", None),
        ],
    )
    def test_is_a_number_as_an_object_id_is_written(self, value, number):
        assert Key(value).number == number

    @pytest.mark.parametrize(
        ("value", "keys"),
        [
            ("CUST-4711", ["CUST-4711", '["CUST-4711"]']),
            ("4711", ["4711", '["4711"]', "[4711]"]),
            ("04711", ["04711", '["04711"]']),
        ],
    )
    def test_is_written_as_keys_of_records(self, value, keys):
        assert Key(value).record_keys == keys

    def test_is_written_in_json_and_named_without_its_value(self):
        key = Key('a"b\\ü')
        assert key.in_json == 'a\\"b\\\\ü'
        assert key.digest == subject_digest('a"b\\ü')
        assert repr(key) == "Key()"


class TestWithout:
    @pytest.mark.parametrize(
        ("value", "erased"),
        [
            ("4711", "[erased]"),
            (4711, "[erased]"),
            (4712, 4712),
            ("of 4711, and 4711.", "of [erased], and [erased]."),
            ("14711 47110 x4711 4711_a", "14711 47110 x4711 4711_a"),
            (None, None),
            (
                {"4711": [4711, {"a": "4711", "b": 5}], "c": "4712"},
                {"[erased]": ["[erased]", {"a": "[erased]", "b": 5}], "c": "4712"},
            ),
        ],
    )
    def test_has_the_key_nowhere(self, value, erased):
        assert Key("4711").remove_from(value) == erased

    def test_keeps_a_truth_value_that_equals_the_number(self):
        assert Key("1").remove_from([True, 1, False]) == [True, "[erased]", False]
        assert Key("1").remove_from([True, False])[0] is True

    def test_keeps_a_short_key_within_a_text(self):
        assert Key("471").remove_from(["471", "of 471"]) == ["[erased]", "of 471"]
        assert Key("4.11").remove_from("of 4711 and 4.11") == "of 4711 and [erased]"


class TestReadKey:
    @pytest.mark.parametrize("text", ["a", " a ", "x" * MAX_KEY])
    def test_takes_a_key_as_it_is(self, text):
        assert read_key(text) == Key(text)

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "The key is empty."),
            (" \t", "The key is empty."),
            ("x" * (MAX_KEY + 1), f"The key has {MAX_KEY + 1} characters; the maximum is {MAX_KEY}."),
            ("a\0b", "The key must not contain NUL."),
            ("a\ud800", "The key is not UTF-8."),
        ],
    )
    def test_refuses_what_no_table_has(self, text, why):
        with pytest.raises(BadKey) as refused:
            read_key(text)
        assert str(refused.value) == why
