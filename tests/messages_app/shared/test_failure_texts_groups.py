from datetime import UTC, datetime, timedelta

from messages_app.shared.failure_texts import SAMPLES, groups_alike

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def row(number: int, text: str | None, key: tuple = ("billing",)) -> tuple:
    return number, NOON - timedelta(minutes=number), key, text


class TestGroupsAlike:
    def test_have_the_same_error_and_key_the_largest_first(self):
        groups = groups_alike(
            [
                row(1, "other"),
                row(2, "no balance of 17"),
                row(3, "no balance of 4\nat line 9"),
                row(4, "no balance of 5", ("orders",)),
                row(5, "no balance of 6"),
            ]
        )
        assert [(group.key, group.summary, group.count) for group in groups] == [
            (("billing",), "no balance of …", 3),
            (("billing",), "other", 1),
            (("orders",), "no balance of …", 1),
        ]

    def test_show_the_newest_failure_and_the_start(self):
        group, *_ = groups_alike([row(1, "no 1"), row(2, "no 2")])
        assert (group.example, group.ids) == ("no 1", [1, 2])
        assert (group.last_at, group.first_at) == (NOON - timedelta(minutes=1), NOON - timedelta(minutes=2))

    def test_name_a_few_of_many(self):
        (group,) = groups_alike(row(number, "no") for number in range(SAMPLES + 3))
        assert (group.count, len(group.ids)) == (SAMPLES + 3, SAMPLES)

    def test_accept_a_row_without_a_text(self):
        (group,) = groups_alike([row(1, None)])
        assert (group.summary, group.example) == ("", "")
