import copy
import json
import pickle
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.serializers.json import DjangoJSONEncoder

from messages_app.shared.far_times import (
    ENDLESS,
    FarTime,
    machine_text,
    parse_time,
    time_at,
    with_zone,
    without_zone,
)

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
INFINITY, BEFORE_ALL = parse_time("infinity"), parse_time("-infinity")
# As PostgreSQL writes times in UTC.
WRITTEN = [
    "-infinity",
    "4714-11-24 00:00:00+00:00 BC",
    "0044-03-15 00:00:00+00:00 BC",
    "0001-12-31 23:02:16+00:00 BC",
    "0001-01-01 00:00:00+00:00",
    "0999-12-31 23:59:59.999999+00:00",
    "2026-11-01 12:00:00+00:00",
    "9000-01-01 00:00:00+00:00",
    "9999-12-31 23:59:59.999999+00:00",
    "10000-01-01 05:00:00+00:00",
    "12026-11-27 00:00:00.500000+00:00",
    "294276-12-31 23:59:59.999999+00:00",
    "infinity",
]


class TestFarTime:
    @pytest.mark.parametrize("text", WRITTEN)
    def test_is_written_as_it_was_read(self, text):
        assert str(parse_time(text)) == text
        assert str(parse_time(text.replace(" ", "T", 1).replace("T BC", " BC"))) == text

    def test_is_only_a_time_that_is_far(self):
        kinds = {text: type(parse_time(text)) for text in WRITTEN}
        assert [text for text, kind in kinds.items() if kind is datetime] == ["2026-11-01 12:00:00+00:00"]

    def test_is_ordered_exactly_among_all_others(self):
        times = [parse_time(text) for text in WRITTEN]
        times.reverse()
        times.sort()
        assert list(map(str, times)) == WRITTEN
        assert max(times) == INFINITY
        assert min(times) is not BEFORE_ALL
        assert min(times) == BEFORE_ALL
        assert NOON < INFINITY > NOON >= BEFORE_ALL <= NOON
        assert not NOON > INFINITY
        assert NOON != INFINITY
        assert len({*times, *times}) == len(times)

    def test_has_its_offset_taken_off(self):
        assert str(parse_time("9999-12-31 23:59:59-05")) == "10000-01-01 04:59:59+00:00"
        assert str(parse_time("0001-01-01 00:00:00+00:57:44")) == "0001-12-31 23:02:16+00:00 BC"

    def test_differs_from_another_by_the_time_between(self):
        assert parse_time("12026-11-01 12:00:00+00") - NOON == timedelta(days=3_652_425)
        assert NOON - parse_time("12026-11-01 12:00:00+00") == timedelta(days=-3_652_425)
        assert (INFINITY - NOON, NOON - INFINITY) == (ENDLESS, -ENDLESS)
        assert (timedelta(0), ENDLESS) == (INFINITY - INFINITY, INFINITY - BEFORE_ALL)

    def test_moves_by_a_duration_without_an_overflow(self):
        day = timedelta(days=1)
        assert str(parse_time("9999-12-31 12:00:00+00") + day) == "10000-01-01 12:00:00+00:00"
        assert str(day + parse_time("0001-12-31 12:00:00+00 BC")) == "0001-01-01 12:00:00+00:00"
        back = parse_time("12026-11-01 12:00:00+00") - timedelta(days=3_652_425)
        assert (back, type(back)) == (NOON, datetime)
        assert INFINITY + day == INFINITY - day == INFINITY
        assert parse_time("294276-12-31 12:00:00+00") + day == INFINITY
        assert INFINITY - ENDLESS == INFINITY

    def test_stays_what_it_is_in_any_zone_and_copy(self):
        far = parse_time("12026-11-27 00:00:00+00")
        assert far.astimezone(ZoneInfo("Europe/Prague")) is far.replace(microsecond=0) is far
        for other in (copy.deepcopy(far), pickle.loads(pickle.dumps(far))):  # noqa: S301
            assert (other, type(other), str(other)) == (far, FarTime, str(far))

    def test_is_written_in_json_and_by_a_format(self):
        far = parse_time("12026-11-27 00:00:00+00")
        assert json.dumps([far, INFINITY], cls=DjangoJSONEncoder) == '["12026-11-27T00:00:00Z", "infinity"]'
        assert f"{far:%Y-%m-%d %H:%M} and {INFINITY:%H:%M}" == "12026-11-27 00:00:00 and infinity"

    def test_beyond_what_the_database_stores_is_infinite(self):
        assert time_at(10**19) == INFINITY
        assert time_at(-(10**19)) == BEFORE_ALL

    @pytest.mark.parametrize("text", ["", "Infinity", "12026-11-27", "2026-13-01 00:00:00+00", "1-1-1 0:0:0"])
    def test_is_not_read_from_other_texts(self, text):
        with pytest.raises(ValueError, match=r"is not a time|month|invalid"):
            parse_time(text)


class TestTexts:
    @pytest.mark.parametrize(
        ("moment", "with_its_zone", "without", "for_programs"),
        [
            (NOON, "2026-11-01 12:00:00 UTC", "2026-11-01 12:00:00", "2026-11-01T12:00:00Z"),
            (INFINITY, "infinity", "infinity", "infinity"),
            (
                parse_time("12026-11-27 01:02:03.5+00"),
                "12026-11-27 01:02:03 UTC",
                "12026-11-27 01:02:03",
                "12026-11-27T01:02:03.500000Z",
            ),
            (
                parse_time("0044-03-15 00:00:00+00 BC"),
                "0044-03-15 00:00:00 BC UTC",
                "0044-03-15 00:00:00 BC",
                "0044-03-15T00:00:00Z BC",
            ),
        ],
    )
    def test_are_to_the_second_for_people_and_exact_for_programs(
        self, moment, with_its_zone, without, for_programs
    ):
        assert with_zone(moment) == with_its_zone
        assert without_zone(moment) == without
        assert machine_text(moment) == for_programs
