"""Tests of the statements of the session engine: the rows that each one changes, and their columns."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from messages_app.access.models import UserSession
from messages_app.access.sessions.store import SessionStore, statements
from messages_app.access.token_services import digest_key
from messages_app.core.clock import database_clock
from tests.messages_app.access.sessions.test_store import key_of
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

A_MINUTE, A_SECOND = timedelta(minutes=1), timedelta(seconds=1)
KEYS = ("live", "other", "ended")


@pytest.fixture
def sessions() -> dict[str, UserSession]:
    """
    Return three sessions of one user by their names, whose digests are their keys: began 90 minutes ago, used
    70 minutes ago, and two of them end in 50 minutes.
    """
    ada = make_user("support")
    for name in KEYS:
        client = Client()
        client.force_login(ada)
        UserSession.objects.filter(key_sha256=digest_key(key_of(client))).update(
            key_sha256=digest_key(name), data=f"of {name}", address="192.0.2.1", browser=f"browser of {name}"
        )
    UserSession.objects.update(
        began_at=F("began_at") - 90 * A_MINUTE,
        last_used_at=F("last_used_at") - 70 * A_MINUTE,
        ends_at=F("began_at") + 50 * A_MINUTE,
        revealed_until=F("began_at") + 5 * A_MINUTE,
    )
    UserSession.objects.filter(key_sha256=digest_key("ended")).update(ends_at=F("began_at"))
    return {name: row_of(name) for name in KEYS}


def row_of(name: str) -> UserSession:
    return UserSession.objects.get(key_sha256=digest_key(name))


def changes(before: dict[str, UserSession]) -> dict[str, dict[str, object]]:
    """Return the columns that changed, by the name of the session."""
    by_id = {row["session_id"]: row for row in UserSession.objects.values()}
    found = {}
    for name, session in before.items():
        now = by_id[session.pk]
        changed = {column: value for column, value in now.items() if getattr(session, column) != value}
        if changed:
            found[name] = changed
    return found


class TestNoteUse:
    def note(self, name: str, *, longest: timedelta, idle: timedelta) -> int:
        visitor = {"address": "192.0.2.9", "browser": "another browser"}
        return statements.count(
            "note_use", {"key": digest_key(name), "longest": longest, "idle": idle} | visitor
        )

    def test_writes_the_time_the_visitor_and_the_next_end_of_one_session(self, sessions):
        now = database_clock()
        assert self.note("live", longest=500 * A_MINUTE, idle=20 * A_MINUTE) == 1
        written = changes(sessions)
        assert list(written) == ["live"]
        used, ends = written["live"].pop("last_used_at"), written["live"].pop("ends_at")
        assert written["live"] == {"address": "192.0.2.9", "browser": "another browser"}
        assert now <= used < now + A_MINUTE
        assert ends - used == 20 * A_MINUTE

    def test_lets_none_last_longer_than_its_maximum_age(self, sessions):
        self.note("live", longest=100 * A_MINUTE, idle=20 * A_MINUTE)
        session = row_of("live")
        assert session.ends_at - session.began_at == 100 * A_MINUTE

    def test_does_not_extend_an_ended_session(self, sessions):
        assert self.note("ended", longest=500 * A_MINUTE, idle=20 * A_MINUTE) == 0
        assert changes(sessions) == {}

    def test_does_not_write_a_session_that_was_used_within_the_minute(self, sessions):
        used = database_clock() - 55 * A_SECOND
        UserSession.objects.update(last_used_at=used)
        assert self.note("live", longest=500 * A_MINUTE, idle=20 * A_MINUTE) == 0
        assert list(changes(sessions).values()) == [{"last_used_at": used}] * 3


class TestLoadSession:
    def load(self, name: str) -> tuple[object, ...] | None:
        return statements.fetch_row("load_session", {"key": digest_key(name)})

    def test_returns_the_data_of_that_session_and_how_long_it_shows_values(self, sessions):
        assert self.load("live") == ("of live", True, sessions["live"].revealed_until)
        assert self.load("other")[0] == "of other"
        assert self.load("ended") is None
        assert self.load("nobody's") is None

    def test_is_due_again_after_a_minute(self, sessions):
        for seconds, is_due in ((55, False), (65, True)):
            UserSession.objects.update(last_used_at=database_clock() - seconds * A_SECOND)
            assert self.load("live")[1] is is_due

    def test_shows_values_only_until_their_time(self, sessions):
        UserSession.objects.update(revealed_until=database_clock() - A_SECOND)
        assert self.load("live")[2] is None


class TestSaveSession:
    def save(self, name: str, **values: object) -> int:
        columns = {"data": "new data", "user_id": None, "password_digest": "another digest"}
        given = columns | {"provider_session": "of another provider"} | values
        return statements.count("save_session", {"key": digest_key(name)} | given)

    def test_writes_one_session_and_not_its_times(self, sessions):
        bob = make_user(username="bob")
        assert self.save("live", user_id=bob.pk) == 1
        assert changes(sessions) == {
            "live": {
                "data": "new data",
                "user_id": bob.pk,
                "password_digest": "another digest",
                "provider_session": "of another provider",
            }
        }

    def test_does_not_revive_an_ended_one(self, sessions):
        assert self.save("ended") == 0
        assert changes(sessions) == {}


class TestChangeKey:
    def change(self, name: str, *, keeps_values: bool = False) -> int:
        keys = {"key": digest_key(name), "new_key": digest_key("new")}
        return statements.count("change_key", keys | {"keeps_values": keeps_values})

    def test_gives_one_session_another_key_and_masks_its_values(self, sessions):
        assert self.change("live") == 1
        assert changes(sessions) == {"live": {"key_sha256": digest_key("new"), "revealed_until": None}}

    def test_may_keep_its_values_shown(self, sessions):
        assert self.change("live", keeps_values=True) == 1
        assert changes(sessions) == {"live": {"key_sha256": digest_key("new")}}

    def test_does_not_revive_an_ended_one(self, sessions):
        assert self.change("ended") == 0
        assert changes(sessions) == {}


class TestMaskAgain:
    def test_masks_one_session(self, sessions):
        assert statements.fetch_row("mask_again", {"key": digest_key("live")}) == (sessions["live"].pk,)
        assert changes(sessions) == {"live": {"revealed_until": None}}

    def test_does_not_write_a_session_whose_time_is_over(self, sessions):
        over = database_clock() - A_SECOND
        UserSession.objects.update(revealed_until=over)
        assert statements.fetch_row("mask_again", {"key": digest_key("live")}) is None
        assert row_of("live").revealed_until == over


class TestReveal:
    def reveal(self, name: str, user_id: int) -> tuple[object, ...] | None:
        values = {"key": digest_key(name), "user_id": user_id, "length": 7 * A_MINUTE}
        return statements.fetch_row("reveal", values)

    def test_shows_values_in_one_session_from_now_on(self, sessions):
        now, session = database_clock(), sessions["live"]
        session_id, until = self.reveal("live", session.user_id)
        assert session_id == session.pk
        assert now + 7 * A_MINUTE <= until < now + 8 * A_MINUTE
        assert changes(sessions) == {"live": {"revealed_until": until}}

    def test_shows_none_in_a_session_that_ended_or_has_another_user(self, sessions):
        ada, bob = sessions["live"].user_id, make_user(username="bob").pk
        assert (self.reveal("ended", ada), self.reveal("live", bob)) == (None, None)
        assert changes(sessions) == {}


class TestDelete:
    def test_removes_only_the_named_session(self, sessions):
        assert statements.count("delete_session", {"key": digest_key("other")}) == 1
        assert set(UserSession.objects.values_list("data", flat=True)) == {"of live", "of ended"}
        assert SessionStore().exists("live")
        assert not SessionStore().exists("other")

    def test_removes_all_that_have_ended(self, sessions):
        assert statements.count("delete_ended", {}) == 1
        assert set(UserSession.objects.values_list("data", flat=True)) == {"of live", "of other"}


class TestInsertSession:
    def test_writes_each_column_and_no_second_session_with_the_key(self, sessions):
        bob = make_user(username="bob")
        values = {
            "key": digest_key("new"),
            "data": "of the new one",
            "user_id": bob.pk,
            "password_digest": "a digest",
            "provider_session": "of a provider",
            "longest": 500 * A_MINUTE,
            "idle": 20 * A_MINUTE,
            "address": "192.0.2.9",
            "browser": "another browser",
        }
        now = database_clock()
        assert [statements.count("insert_session", values) for _ in range(2)] == [1, 0]
        session = row_of("new")
        assert (session.data, session.user_id, session.password_digest) == (
            "of the new one",
            bob.pk,
            "a digest",
        )
        assert session.provider_session == "of a provider"
        assert (session.address, session.browser) == ("192.0.2.9", "another browser")
        assert now <= session.began_at == session.last_used_at < now + A_MINUTE
        assert session.ends_at - session.began_at == 20 * A_MINUTE
        assert session.revealed_until is None
