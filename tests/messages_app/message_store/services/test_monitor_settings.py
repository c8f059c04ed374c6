"""The monitor's settings, and the interval that the scheduler keeps."""

import pytest
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask

from messages_app.message_store.errors import InvalidInput
from messages_app.message_store.monitor_models import StoreSetting
from messages_app.message_store.services import monitor_settings
from messages_app.message_store.services.monitor import TASK, keep_interval, scan_every
from messages_app.message_store.services.monitor_settings import unset_limits
from messages_app.message_store.settings import current_limits
from tests.support.audit_entries import GRACE, audit_rows, by_grace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _tasks(settings) -> None:
    """Store the monitor's task and another one, both every seven seconds."""
    settings.MESSAGE_STORE_INTERVAL = 7.0
    PeriodicTask.objects.all().delete()
    seven = IntervalSchedule.objects.create(every=7, period="seconds")
    PeriodicTask.objects.create(name="monitor", task=TASK, interval=seven)
    PeriodicTask.objects.create(name="other", task="other", interval=seven)


def set_limits(reason: str = "", **values: float) -> None:
    monitor_settings.set_limits(values=values, actor=GRACE, reason=reason)


def intervals() -> dict[str, int]:
    return dict(PeriodicTask.objects.values_list("name", "interval__every"))


def changed(before: dict, after: dict, reason: str) -> dict[str, object]:
    return by_grace("set_store_monitor", reason=reason, details={"before": before, "after": after})


class TestSetLimits:
    def test_sets_the_named_ones_and_audits_all_before_and_after(self):
        set_limits("slow", queue=40, minimum_delay=3)
        set_limits("slower", queue=50, process_timeout=900)
        now = current_limits()
        assert (now.queue, now.process_timeout, now.timing.minimum_delay) == (50, 900, 3)
        first = {"queue": 40, "minimum_delay": 3}
        second = {"queue": 50, "minimum_delay": 3, "process_timeout": 900}
        assert audit_rows() == [changed({}, first, "slow"), changed(first, second, "slower")]
        assert intervals() == {"monitor": 7, "other": 7}

    def test_gives_the_interval_to_the_scheduler(self):
        set_limits(interval=30)
        assert intervals() == {"monitor": 30, "other": 7}

    @pytest.mark.parametrize(
        ("name", "least", "most"),
        [
            ("interval", 1, 86_400),
            ("queue", 1, 10_000),
            ("age_exponent", 0, 5),
            ("age_multiplier", 0, 10_000),
        ],
    )
    def test_accepts_the_ends_of_a_range_and_nothing_beyond(self, name, least, most):
        for value in (least, most):
            set_limits(**{name: value})
            assert StoreSetting.objects.get(name=name).value == value
        for value in (least - 1, most + 1):
            with pytest.raises(InvalidInput, match=f"{name} must be from {least} to {most}") as refused:
                set_limits(**{"message_timeout": 9} | {name: value})
            assert (refused.value.field, refused.value.code) == (name, "out_of_range")
        with pytest.raises(InvalidInput, match="no setting nothing") as refused:
            set_limits(nothing=1)
        assert refused.value.field == "nothing"
        assert len(audit_rows()) == 2
        assert not StoreSetting.objects.filter(name="message_timeout").exists()


class TestUnsetLimits:
    def test_returns_all_to_the_environment(self):
        set_limits(interval=30, queue=40)
        unset_limits(actor=GRACE, reason="as before")
        assert not StoreSetting.objects.exists()
        assert intervals() == {"monitor": 7, "other": 7}
        assert audit_rows()[1] == changed({"interval": 30, "queue": 40}, {}, "as before")


class TestKeepInterval:
    def test_writes_only_an_interval_that_was_set_here(self):
        PeriodicTask.objects.filter(name="monitor").update(
            interval=IntervalSchedule.objects.create(every=9, period="seconds")
        )
        assert not keep_interval()
        assert intervals() == {"monitor": 9, "other": 7}
        StoreSetting.objects.create(name="interval", value=8)
        assert keep_interval()
        assert not keep_interval()
        assert intervals() == {"monitor": 8, "other": 7}


class TestScanEvery:
    def test_replaces_a_schedule_of_another_kind(self):
        crontab = CrontabSchedule.objects.create(minute="5")
        PeriodicTask.objects.filter(name="monitor").update(interval=None, crontab=crontab)
        assert scan_every(7)
        task = PeriodicTask.objects.get(name="monitor")
        assert (task.interval.every, task.crontab) == (7, None)
        assert not scan_every(7)
        assert IntervalSchedule.objects.filter(every=7).count() == 1

    def test_does_not_take_seven_minutes_for_seven_seconds(self):
        IntervalSchedule.objects.create(every=8, period="minutes")
        scan_every(8)
        task = PeriodicTask.objects.get(name="monitor")
        assert (task.interval.every, task.interval.period) == (8, "seconds")
