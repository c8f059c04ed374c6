import pytest

from messages_app.core.etags import Conditions, EntityTag, tag_of
from messages_app.core.problems import Problem

TAG = EntityTag("own", "rest")


def conditions(**headers: str) -> Conditions:
    return Conditions.parse_headers({name.replace("_", "-"): text for name, text in headers.items()})


class TestTagOf:
    def test_separates_editable_from_computed_fields(self):
        first = tag_of({"state": "running", "done": 1}, moving={"done"})
        further = tag_of({"state": "running", "done": 2}, moving={"done"})
        paused = tag_of({"state": "paused", "done": 2}, moving={"done"})
        assert first.own == further.own != paused.own
        assert first.rest != further.rest == paused.rest


class TestConditions:
    @pytest.mark.parametrize(
        ("text", "refuses"),
        [
            ('"own-rest"', False),
            ('"own-older"', False),
            ('"x", "own-rest"', False),
            ("*", False),
            ('"other-rest"', True),
            ('"nonsense"', True),
            ('W/"own-rest"', True),
            ('"a,b"', True),
            ('""', True),
        ],
    )
    def test_if_match_asks_for_the_part_that_people_change(self, text, refuses):
        assert conditions(If_Match=text).has_mismatch(TAG) is refuses

    @pytest.mark.parametrize("text", ["*", '"own-rest"'])
    def test_if_match_refuses_missing_objects(self, text):
        assert conditions(If_Match=text).has_mismatch(None)

    @pytest.mark.parametrize(
        ("text", "is_unchanged"),
        [('"own-rest"', True), ('W/"own-rest"', True), ("*", True), ('"own-older"', False), ('"x"', False)],
    )
    def test_if_none_match_asks_for_both_parts(self, text, is_unchanged):
        found = conditions(If_None_Match=text)
        assert found.is_unchanged(TAG) is is_unchanged
        assert found.has_mismatch(TAG) is is_unchanged
        assert not found.is_unchanged(None)

    @pytest.mark.parametrize("name", ["If-Match", "If-None-Match"])
    @pytest.mark.parametrize("text", ["nonsense", '"open', '"a" "b"', "", '"a",', "'a'", '"a b"', '"\xe9"'])
    def test_is_not_a_list_of_tags(self, name, text):
        with pytest.raises(Problem) as refused:
            Conditions.parse_headers({name: text})
        (error,) = refused.value.errors
        assert (refused.value.status, error.field, error.code) == (400, name, "invalid_value")

    def test_is_nothing_without_a_header(self):
        assert not conditions()
        assert not conditions().has_mismatch(TAG)
