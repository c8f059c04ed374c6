from datetime import timedelta

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.http import HttpResponse
from django.test import Client

from messages_app.access.models import LoginFailure
from messages_app.access.throttling import (
    FREE_TRIES,
    FREE_TRIES_OF_ADDRESS,
    MAX_SECONDS,
    Attempt,
    begin_attempt,
    forget_old_tries,
    record_success,
)
from messages_app.audit.models import AuditEntry
from tests.support.factories import PASSWORD, make_user
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

WRONG = "not the password"


@pytest.fixture(autouse=True)
def ada():
    make_user("support")


def log_in(client: Client, password: str = WRONG, *, username: str = "ada", **how: str) -> HttpResponse:
    return client.post("/login/", {"username": username, "password": password}, **how)


def make_time_pass() -> None:
    LoginFailure.objects.update(blocked_until=None)


def make_it_last() -> None:
    """Make a delay longer than a second, for slow machines."""
    LoginFailure.objects.exclude(blocked_until=None).update(blocked_until="2040-01-01T00:00:00Z")


class Counting(MD5PasswordHasher):
    """A hasher that counts its calls, which represent the duration of an attempt."""

    algorithm = "counting"
    times = 0

    def encode(self, password: str, salt: str) -> str:
        Counting.times += 1
        return super().encode(password, salt)


class TestLogIn:
    @pytest.mark.parametrize("username", ["ada", "nobody", "gone"])
    def test_takes_as_long_and_answers_the_same_for_any_name(self, client, settings, username):
        settings.PASSWORD_HASHERS = [f"{__name__}.Counting"]
        for user in (User.objects.get(username="ada"), make_user(username="gone", is_active=False)):
            user.set_password(PASSWORD)
            user.save()
        before = Counting.times
        answer = log_in(client, username=username)
        assert Counting.times == before + 1
        assert answer.status_code == 200
        assert list(answer.context["form"].non_field_errors()) == [
            "Please enter a correct username and password. Note that both fields may be case-sensitive."
        ]

    @pytest.mark.parametrize("username", ["ada", "nobody"])
    def test_is_refused_for_a_while_after_a_limited_number_of_attempts(self, client, username):
        tries = [log_in(client, username=username).status_code for _ in range(FREE_TRIES)]
        assert tries == [200] * FREE_TRIES
        make_it_last()

        for password in (WRONG, PASSWORD):
            refused = log_in(client, password, username=username)
            assert refused.status_code == 429
            assert int(refused.headers["Retry-After"]) > 0
            assert b"Too many attempts. Try again in" in refused.content
        assert "_auth_user_id" not in client.session
        assert log_in(client, username="another").status_code == 200
        entries = AuditEntry.objects.filter(action="log_in", outcome="refused")
        assert entries.filter(actor="ada" if username == "ada" else "(unknown)").count() >= FREE_TRIES + 2

    def test_waits_twice_as_long_each_time_up_to_a_quarter_of_an_hour(self, client):
        waits = []
        for _ in range(FREE_TRIES + 12):
            log_in(client)
            found = LoginFailure.objects.get()
            waits.append(found.blocked_until and round((found.blocked_until - found.last_at).total_seconds()))
            make_time_pass()
        assert waits[FREE_TRIES - 2 : FREE_TRIES + 3] == [None, 1, 2, 4, 8]
        assert waits[-1] == MAX_SECONDS

    def test_begins_again_after_a_success(self, client):
        for _ in range(FREE_TRIES - 1):
            log_in(client)
        assert log_in(client, PASSWORD).status_code == 302
        assert not LoginFailure.objects.exists()
        assert AuditEntry.objects.get(action="log_in", outcome="done").actor == "ada"

    def test_does_not_lock_out_a_known_browser(self, client):
        log_in(client, PASSWORD)
        client.post("/logout/")
        stranger = Client()
        for _ in range(FREE_TRIES):
            log_in(stranger)
        make_it_last()
        assert log_in(stranger, PASSWORD).status_code == 429
        assert log_in(client, PASSWORD).status_code == 302
        assert AuditEntry.objects.filter(action="log_out").count() == 1

    def test_also_counts_by_address_but_not_behind_an_unknown_proxy(self, client):
        for number in range(FREE_TRIES_OF_ADDRESS):
            log_in(client, username=f"user{number}", REMOTE_ADDR="192.0.2.7")
            log_in(client, username=f"user{number}", REMOTE_ADDR="127.0.0.1")
        make_it_last()
        assert log_in(client, username="yet another", REMOTE_ADDR="192.0.2.7").status_code == 429
        assert log_in(client, username="yet another", REMOTE_ADDR="127.0.0.1").status_code == 200

    def test_trusts_the_proxies_of_the_settings(self, settings):
        settings.TRUSTED_PROXIES = ["127.0.0.1", "10.0.0.1"]
        client = Client()
        log_in(client, REMOTE_ADDR="127.0.0.1", HTTP_X_FORWARDED_FOR="1.1.1.1, 192.0.2.9, 10.0.0.1")
        log_in(client, REMOTE_ADDR="192.0.2.8", HTTP_X_FORWARDED_FOR="1.2.3.4")
        found = AuditEntry.objects.filter(action="log_in").order_by("pk").values_list("address", flat=True)
        assert list(found) == ["192.0.2.9", "192.0.2.8"]


@pytest.mark.django_db(transaction=True)
class TestBegin:
    def test_allows_no_more_concurrent_attempts_than_sequential_ones(self):
        tries = [lambda: begin_attempt(Attempt(account="user:ada", address="")) for _ in range(20)]
        waits = in_threads(*tries)
        assert sorted(wait > 0 for wait in waits) == [False] * FREE_TRIES + [True] * (20 - FREE_TRIES)

    def test_returns_the_longest_wait_of_its_own_counts(self):
        blocked = {"user:ada": 40, "address:192.0.2.7": 70, "user:bob": 400}
        for subject, seconds in blocked.items():
            until = Now() + timedelta(seconds=seconds)
            LoginFailure.objects.create(subject=subject, failures=9, last_at=Now(), blocked_until=until)
        assert 30 < begin_attempt(Attempt(account="user:ada", address="")) <= 40
        assert 60 < begin_attempt(Attempt(account="user:ada", address="address:192.0.2.7")) <= 70
        assert 60 < begin_attempt(Attempt(account="user:eve", address="address:192.0.2.7")) <= 70

    @pytest.mark.parametrize(("minutes", "failures"), [(14, 10), (16, 1)])
    def test_counts_failures_that_are_less_than_a_quarter_of_an_hour_apart(self, minutes, failures):
        last = Now() - timedelta(minutes=minutes)
        LoginFailure.objects.create(subject="user:ada", failures=9, last_at=last, blocked_until=last)
        assert begin_attempt(Attempt(account="user:ada", address="")) == 0
        count = LoginFailure.objects.get()
        assert (count.failures, count.blocked_until is None) == (failures, failures == 1)

    def test_counts_nothing_for_an_account_whose_address_is_blocked(self):
        for number in range(FREE_TRIES_OF_ADDRESS):
            assert begin_attempt(Attempt(account=f"user:{number}", address="address:192.0.2.7")) == 0
        make_it_last()
        assert begin_attempt(Attempt(account="user:ada", address="address:192.0.2.7")) > 0
        assert not LoginFailure.objects.filter(subject="user:ada").exists()


class TestSucceeded:
    def test_subtracts_a_successful_attempt_from_its_address_and_keeps_failed_ones(self):
        attempts = [Attempt(account=f"user:{number}", address="address:192.0.2.7") for number in range(3)]
        for attempt in attempts:
            begin_attempt(attempt)
        record_success(attempts[0])
        assert dict(LoginFailure.objects.values_list("subject", "failures")) == {
            "user:1": 1,
            "user:2": 1,
            "address:192.0.2.7": 2,
        }

    def test_keeps_the_block_of_an_address_with_too_many_failed_attempts(self):
        for number in range(FREE_TRIES_OF_ADDRESS + 1):
            begin_attempt(Attempt(account=f"user:{number}", address="address:192.0.2.7"))
            make_time_pass()
        LoginFailure.objects.filter(subject="address:192.0.2.7").update(blocked_until="2040-01-01T00:00:00Z")

        record_success(Attempt(account="user:0", address="address:192.0.2.7"))

        assert begin_attempt(Attempt(account="user:new", address="address:192.0.2.7")) > 0

    def test_ends_the_block_of_an_address_with_no_more_failed_attempts_than_are_free(self):
        for number in range(FREE_TRIES_OF_ADDRESS):
            begin_attempt(Attempt(account=f"user:{number}", address="address:192.0.2.7"))
        make_it_last()

        record_success(Attempt(account="user:0", address="address:192.0.2.7"))

        assert begin_attempt(Attempt(account="user:new", address="address:192.0.2.7")) == 0

    def test_frees_an_address_that_many_log_in_from(self):
        for number in range(2 * FREE_TRIES_OF_ADDRESS):
            attempt = Attempt(account=f"user:{number}", address="address:192.0.2.7")
            assert begin_attempt(attempt) == 0
            record_success(attempt)


class TestForgetOldTries:
    def test_removes_only_counts_of_more_than_a_day_ago(self):
        for name, hours in (("fresh", 23), ("old", 25)):
            begin_attempt(Attempt(account=f"user:{name}", address=""))
            LoginFailure.objects.filter(subject=f"user:{name}").update(last_at=Now() - timedelta(hours=hours))
        assert forget_old_tries() == 1
        assert [kept.subject for kept in LoginFailure.objects.all()] == ["user:fresh"]
