import pytest

from messages_app.shared.store_states import (
    MEANINGS,
    NAMES,
    Status,
    StatusClass,
    class_of,
    may_reprocess,
    name_of,
)


class TestStatus:
    def test_has_a_name_and_a_meaning_for_every_code(self):
        assert set(NAMES) == set(MEANINGS) == set(Status)


class TestClassOf:
    @pytest.mark.parametrize(
        ("status", "expected"),
        [
            (None, StatusClass.WAITING),
            (2, StatusClass.WAITING),
            (3, StatusClass.IN_WORK),
            (10, StatusClass.DONE),
            (26, StatusClass.ERROR),
            (99, StatusClass.ERROR),
            (7, StatusClass.UNKNOWN),
            (15, StatusClass.UNKNOWN),
        ],
    )
    def test_classifies_unnamed_codes_by_their_range(self, status, expected):
        assert class_of(status) is expected


class TestNameOf:
    def test_shows_unnamed_codes_unchanged(self):
        assert [name_of(status) for status in (None, 3, 15, 31)] == [
            "not processed",
            "queued",
            "unknown 15",
            "error 31",
        ]


class TestMayReprocess:
    def test_is_true_for_2_10_and_errors(self):
        assert [status for status in range(30) if may_reprocess(status)] == [2, 10, *range(20, 30)]
