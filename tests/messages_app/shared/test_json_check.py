import pytest

from messages_app.shared.json_check import check_json_text
from messages_app.shared.xml_parsing import Unreadable


class TestCheckJsonText:
    @pytest.mark.parametrize(
        "text", ['{"a": 1}', '"NaN"', '{"a": [1, {"a": 2}], "b": {"a": 1}}', "\ufeff[1e400]"]
    )
    def test_accepts_text_that_all_readers_understand_in_the_same_way(self, text):
        check_json_text(text)

    @pytest.mark.parametrize(
        ("text", "message", "place"),
        [
            ('{"amount": NaN}', "Not well-formed: line 1, column 12: JSON has no NaN.", (1, 12)),
            ("[1,\n -Infinity]", "Not well-formed: line 2, column 2: JSON has no -Infinity.", (2, 2)),
            (
                '{"id": 1, "id": 2}',
                'The name "id" is twice in one object: line 1, column 11. Readers take different values.',
                (1, 11),
            ),
            (
                '{"\\u0061{}": 1,\n"a{}": 2}',
                'The name "a{}" is twice in one object: line 2, column 1. Readers take different values.',
                (2, 1),
            ),
            (
                '{"\\ud800": 1, "\\ud800": 2}',
                'The name "\\ud800" is twice in one object: line 1, column 15. '
                "Readers take different values.",
                (1, 15),
            ),
            ("{'a': 0}", "Not well-formed: line 1, column 2: ", (1, 2)),
        ],
    )
    def test_names_the_fault_and_its_place(self, text, message, place):
        with pytest.raises(Unreadable) as raised:
            check_json_text(text)
        assert str(raised.value).startswith(message)
        assert (raised.value.line, raised.value.column) == place
