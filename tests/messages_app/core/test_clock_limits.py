import pytest
from django.db import OperationalError, connection, transaction

from messages_app.core.clock import TooSlow, is_too_slow, time_limit

pytestmark = pytest.mark.django_db(transaction=True)


def run(sql: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


class TestTimeLimit:
    def test_ends_a_statement_that_takes_longer(self):
        with pytest.raises(OperationalError) as ended, time_limit(20):
            run("SELECT count(*) FROM generate_series(1, 100000000)")
        assert is_too_slow(ended.value)
        assert isinstance(ended.value, TooSlow)

    def test_does_not_change_the_session(self):
        before = run("SHOW statement_timeout")
        with time_limit(20):
            assert run("SHOW statement_timeout") == "20ms"
        assert run("SHOW statement_timeout") == before

    def test_does_not_change_an_outer_transaction(self):
        with transaction.atomic():
            with time_limit(20):
                assert run("SHOW statement_timeout") == "20ms"
            assert run("SHOW statement_timeout") == "0"


class TestWasTooSlow:
    def test_is_false_for_another_error(self):
        with pytest.raises(OperationalError) as other, time_limit(2000):
            run("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '55P03'; END $$")
        assert not is_too_slow(other.value)
        assert not isinstance(other.value, TooSlow)
