from datetime import timedelta

from messages_app.core.charts.bars import age_share, life_share
from tests.support.factories import NOON

HOUR = timedelta(hours=1)


class TestAgeShare:
    def test_grows_by_the_logarithm_between_seconds_and_a_week(self):
        ages = [timedelta(seconds=1), timedelta(minutes=1), HOUR, timedelta(days=1), timedelta(days=40)]
        shares = [age_share(age) for age in ages]
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0, 100)


class TestLifeShare:
    def test_is_how_much_has_passed(self):
        assert life_share(NOON, NOON + 4 * HOUR, NOON + HOUR) == 25
        assert life_share(NOON, NOON + HOUR, NOON + 9 * HOUR) == 100
        assert life_share(NOON, None, NOON) is None
