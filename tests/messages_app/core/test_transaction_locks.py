import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from messages_app.core.transaction_locks import TransactionLock
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

LOCK = TransactionLock("a lock of this test")
# The statement of earlier versions, with which a process of today must still exclude others.
TAKE = "SELECT pg_try_advisory_xact_lock(hashtextextended('a lock of this test', 0))"


@pytest.fixture
def other():
    with psycopg.connect(database_of_tests()["DATABASE_URL"]) as session:
        yield session


@pytest.mark.parametrize("take", [LOCK.acquire, LOCK.try_acquire])
class TestTransactionLock:
    def test_is_held_until_the_transaction_ends(self, take, other):
        with transaction.atomic():
            take()
            assert other.execute(TAKE).fetchone() == (False,)
        assert other.execute(TAKE).fetchone() == (True,)

    def test_is_held_by_one_name_only(self, take, other):
        with transaction.atomic():
            take()
            assert other.execute(TAKE.replace("a lock", "another lock")).fetchone() == (True,)


class TestTryAcquire:
    def test_returns_immediately_if_another_transaction_has_the_lock(self, other):
        with transaction.atomic():
            assert LOCK.try_acquire()
        other.execute(TAKE)
        with transaction.atomic():
            assert not LOCK.try_acquire()


class TestAcquire:
    def test_waits_until_the_lock_is_free(self, other):
        other.execute(TAKE)
        with transaction.atomic():
            connection.cursor().execute("SET LOCAL lock_timeout = '50ms'")
            with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
                LOCK.acquire()
