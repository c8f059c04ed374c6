from datetime import timedelta

import pytest

from messages_app.messages.hub_times import (
    CODES,
    HubTimes,
    describe_times,
    expect_pickup,
    format_clock_time,
    format_day_and_time,
    hub_times,
    times_from,
    with_overrides,
)
from tests.support.factories import NOON

DEFAULTS = [
    "ohf.asynch.partlyFailedRepeatTimeSec: 60 s, the hub's default",
    "ohf.asynch.partlyFailedIntervalSec: 60 s, the hub's default",
    "ohf.asynch.postponedIntervalSec: 5 s, the hub's default",
    "ohf.asynch.postponedIntervalWhenFailedSec: 5 min, the hub's default",
    "ohf.asynch.repairRepeatTimeSec: 5 min, the hub's default",
    "ohf.asynch.countPartlyFailsBeforeFailed: 3, the hub's default",
    "ohf.asynch.confirmation.failedLimit: 3, the hub's default",
    "ohf.asynch.confirmation.repeatTimeSec: 60 s, the hub's default",
    "ohf.asynch.confirmation.intervalSec: 60 s, the hub's default",
]


class TestHubTimes:
    @pytest.mark.django_db
    def test_are_the_defaults_without_a_query_on_own_tables(self, settings, django_assert_num_queries):
        settings.HUB_RULES = "openhub"
        hub_times()
        with django_assert_num_queries(0):
            assert hub_times() == HubTimes()


class TestTimesFrom:
    def test_reads_every_setting(self):
        times = times_from({code: str(number) for number, code in enumerate(CODES, start=1)})
        assert times == HubTimes(
            poll_every=timedelta(seconds=1),
            partly_failed_rests=timedelta(seconds=2),
            postponed_rests=timedelta(seconds=3),
            order_fails_after=timedelta(seconds=4),
            repair_after=timedelta(seconds=5),
            tries_before_failed=6,
            confirmation_tries=7,
            confirmation_every=timedelta(seconds=8),
            confirmation_rests=timedelta(seconds=9),
            sources=dict.fromkeys(
                [
                    "poll_every",
                    "partly_failed_rests",
                    "postponed_rests",
                    "order_fails_after",
                    "repair_after",
                    "tries_before_failed",
                    "confirmation_tries",
                    "confirmation_every",
                    "confirmation_rests",
                ],
                "as the hub is configured",
            ),
        )

    @pytest.mark.parametrize(
        ("text", "seconds"), [("0", 0), (" 1 0\n", 10), ("+7", 7), ("2147483647", 2**31 - 1)]
    )
    def test_reads_numbers_like_the_hub(self, text: str, seconds: int):
        values = dict.fromkeys(CODES, "1") | {"ohf.asynch.postponedIntervalSec": text}
        assert times_from(values).postponed_rests == timedelta(seconds=seconds)
        assert times_from(values).note == ""

    @pytest.mark.parametrize(
        "text", ["", "-1", "2147483648", "1.0", "ten", "0x1", "1e3", "\u0661", "1" * 1000]
    )
    def test_uses_the_default_instead_of_any_other_text(self, text: str):
        values = dict.fromkeys(CODES, "1") | {"ohf.asynch.countPartlyFailsBeforeFailed": text}
        times = times_from(values)
        assert times.tries_before_failed == 3
        assert times.source_of("tries_before_failed") == "the hub's default"
        assert "ohf.asynch.countPartlyFailsBeforeFailed is \u201c" in times.note
        assert len(times.note) < 200

    @pytest.mark.parametrize(
        ("code", "name"),
        [
            ("ohf.asynch.partlyFailedRepeatTimeSec", "poll_every"),
            ("ohf.asynch.repairRepeatTimeSec", "repair_after"),
            ("ohf.asynch.confirmation.repeatTimeSec", "confirmation_every"),
        ],
    )
    def test_uses_the_default_for_a_period_of_zero(self, code: str, name: str):
        times = times_from(dict.fromkeys(CODES, "0"))
        assert getattr(times, name) == getattr(HubTimes(), name)
        assert f"{code} is \u201c0\u201d" in times.note

    def test_names_missing_and_null_values(self):
        values: dict[str, str | None] = dict.fromkeys(CODES[1:], "1")
        values[CODES[1]] = None
        assert times_from(values).note == (
            "Defaults are used for settings of the hub without a usable value: "
            "ohf.asynch.partlyFailedRepeatTimeSec is missing and "
            "ohf.asynch.partlyFailedIntervalSec is missing."
        )


class TestWithOverrides:
    def test_prefers_settings_of_the_console(self, settings):
        settings.HUB_POLL_SECONDS, settings.HUB_POSTPONED_REST_SECONDS = 10, 2
        times = with_overrides(times_from(dict.fromkeys(CODES, "30")))
        assert times.poll_every == timedelta(seconds=10)
        assert times.partly_failed_rests == timedelta(seconds=30)
        assert times.postponed_rests == timedelta(seconds=2)
        assert times.source_of("poll_every") == "as HUB_POLL_SECONDS says"
        assert times.source_of("partly_failed_rests") == "as the hub is configured"


class TestDescribe:
    def test_lists_every_value_with_its_source(self):
        assert describe_times(HubTimes()) == DEFAULTS
        values = dict.fromkeys(CODES[:-1], "30")
        assert describe_times(times_from(values))[-2:] == [
            "ohf.asynch.confirmation.repeatTimeSec: 30 s, as the hub is configured",
            DEFAULTS[-1],
        ]


class TestPickedUp:
    @pytest.mark.django_db
    def test_adds_the_minimum_wait_and_one_poll(self):
        assert expect_pickup(NOON) == (NOON + timedelta(seconds=60), NOON + timedelta(seconds=120))


class TestClockTime:
    def test_has_seconds_and_zone(self):
        assert format_clock_time(NOON) == "12:00:00 UTC"


class TestDayAndTime:
    def test_has_day_and_zone(self):
        assert format_day_and_time(NOON) == "2026-11-01 12:00 UTC"
