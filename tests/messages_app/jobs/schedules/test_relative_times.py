from datetime import UTC, datetime, timedelta

from messages_app.jobs.schedules.relative_times import as_address, relative_ones, with_exact_times

NOON = datetime(2026, 11, 21, 12, 0, 30, tzinfo=UTC)


class TestTimesOfFilter:
    asked = {
        "state": "-07d",
        "receive_timestamp_from": "-07d",
        "receive_timestamp_to": 7,
        "last_process_timestamp_to": "2026-11-20T00:00:00Z",
    }

    def test_are_written_as_in_an_address(self):
        assert as_address(self.asked, now=NOON) == self.asked | {"receive_timestamp_from": "-7d"}

    def test_are_exact_for_a_job(self):
        found = with_exact_times(self.asked, now=NOON)
        assert datetime.fromisoformat(found.pop("receive_timestamp_from")) == NOON - timedelta(days=7)
        assert found == {
            name: value for name, value in self.asked.items() if name != "receive_timestamp_from"
        }

    def test_are_kept_if_they_are_relative(self):
        assert relative_ones(self.asked) == {"receive_timestamp_from": "-07d"}
