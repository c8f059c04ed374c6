import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages_app.core.name_lists import join_names, split_names


class TestSplitNames:
    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("customer", ["customer"]),
            (" customer ,, invoice ,", ["customer", "invoice"]),
            ('"Acme, Inc", other', ["Acme, Inc", "other"]),
            ('" lead","trail  "', [" lead", "trail  "]),
            ('"say ""hi"""', ['say "hi"']),
            ("", []),
            (" , ", []),
        ],
    )
    def test_takes_blanks_as_part_of_a_name_only_in_quotes(self, text, names):
        assert split_names(text) == names


class TestJoinNames:
    def test_quotes_only_names_that_need_it(self):
        assert join_names(["a b", "a,b", " lead", 'q"']) == 'a b, "a,b", " lead", "q"""'

    @given(st.lists(st.text(min_size=1)))
    def test_is_what_splitting_reverses(self, names):
        assert split_names(join_names(names)) == names
