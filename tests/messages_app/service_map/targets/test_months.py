from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.dashboard.metrics import read_families
from messages_app.service_map.participants import Kind, Participant
from messages_app.service_map.targets.months import DAYS, Month, read_months
from messages_app.service_map.targets.services import read_profile, save_profile
from tests.messages_app.service_map.counted import count_calls, count_messages
from tests.messages_app.service_map.targets.test_services import ADA, columns

pytestmark = pytest.mark.django_db
BILLING = Participant(Kind.SERVICE, "billing")
BANK = Participant(Kind.SYSTEM, "bank.example")


def today():
    return database_clock().replace(hour=0, minute=0, second=0, microsecond=0)


def months_of(participant: Participant, **values: object) -> list[Month]:
    save_profile(participant, version="0", columns=columns(**values), actor=ADA, reason="r")
    return read_months(participant, read_profile(participant), database_clock())


def missed() -> dict[tuple[str, str], float]:
    family = next(one for one in read_families() if one.metric.name == "hubconsole_targets_missed")
    return {(labels["kind"], labels["name"]): value for labels, value in family.samples}


class TestReadMonths:
    def test_shows_for_each_day_whether_messages_ended_in_time(self):
        yesterday = today() - timedelta(days=1)
        count_messages("billing", "OK", 99, at=yesterday, step=32)  # up to 304 s
        count_messages("billing", "FAILED", 1, at=yesterday, step=33)
        count_messages("billing", "OK", 98, at=today(), step=32)
        count_messages("billing", "FAILED", 2, at=today(), step=33)
        count_messages("order", "OK", 900, at=today(), step=50)
        (month,) = months_of(BILLING, within_seconds=300, within_share=0.99)
        assert month.words == "99 % within 5 min"
        assert len(month.days) == DAYS
        assert [(day.day, day.ended, day.share, day.is_met) for day in month.days[-2:]] == [
            (yesterday.date(), 100, 0.99, True),
            (today().date(), 100, 0.98, False),
        ]
        assert (month.met, month.measured) == (1, 2)
        assert missed() == {("service", "billing"): 1}

    def test_shows_for_each_day_whether_few_calls_failed(self):
        count_calls("billing", "bank.example", ok=71, failed=29, at=today())
        count_calls("billing", "bank.example", ok=70, failed=30, at=today() - timedelta(days=29))
        count_calls("billing", "bank.example", failed=9, at=today() - timedelta(days=30))
        (month,) = months_of(BANK, failed_share=0.29)
        assert month.words == "at most 29 % failed"
        assert [(day.share, day.is_met) for day in (month.days[0], month.days[1], month.today)] == [
            (0.3, False),
            (None, None),
            (0.29, True),
        ]
        assert missed() == {("system", "bank.example"): 0}

    def test_compares_calls_of_all_services_with_the_time_of_a_system(self):
        count_calls("billing", "bank.example", ok=3, at=today(), step=3)
        count_calls("order", "bank.example", ok=1, at=today(), step=4)
        (month,) = months_of(BANK, within_seconds=2, within_share=0.8)
        assert (month.today.share, month.today.is_met) == (0.75, False)
        assert missed() == {("system", "bank.example"): 1}

    def test_has_none_without_targets(self):
        assert months_of(BILLING, owner="ada") == []
        assert missed() == {}
