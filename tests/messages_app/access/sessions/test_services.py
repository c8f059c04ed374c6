from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from messages_app.access.models import UserSession
from messages_app.access.sessions.services import (
    SessionNotFound,
    TimeLeft,
    end_other_sessions,
    end_session,
    is_of_key,
    sessions_of,
    time_left,
)
from messages_app.access.token_services import digest_key
from tests.messages_app.access.sessions.test_store import key_of
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db

A_SECOND, AN_HOUR = timedelta(seconds=1), timedelta(hours=1)


@pytest.fixture
def ada():
    client_of("support", username="linus")
    return make_user("support")


def log_in(user: object) -> tuple[str, UserSession]:
    """Return the key of a new session, and its row."""
    client = Client()
    client.force_login(user)
    return key_of(client), row_of(key_of(client))


def row_of(key: str) -> UserSession:
    return UserSession.objects.get(key_sha256=digest_key(key))


def change(session: UserSession, **columns: object) -> None:
    UserSession.objects.filter(pk=session.pk).update(**columns)


class TestEndSession:
    def test_ends_only_that_session_and_records_it_with_its_actor(self, ada):
        sessions = [log_in(ada)[1] for _ in range(3)]
        end_session(user=ada, session_id=sessions[1].pk, actor=GRACE)
        assert {session.pk for session in sessions_of(ada)} == {sessions[0].pk, sessions[2].pk}
        assert audit_rows() == [by_grace("end_session", details={"session_id": sessions[1].pk})]

    def test_records_nothing_for_a_session_of_someone_else(self, ada):
        bobs = UserSession.objects.get()
        with pytest.raises(SessionNotFound):
            end_session(user=ada, session_id=bobs.pk, actor=GRACE)
        assert UserSession.objects.get() == bobs
        assert audit_rows() == []


class TestEndOtherSessions:
    def test_keeps_one_and_those_of_others_and_records_how_many_it_ended(self, ada):
        kept, session = log_in(ada)
        for _ in range(3):
            log_in(ada)
        assert end_other_sessions(user=ada, kept_key=kept, actor=GRACE) == 3
        assert list(sessions_of(ada)) == [session]
        assert UserSession.objects.count() == 2
        assert audit_rows() == [by_grace("end_other_sessions", details={"sessions": 3})]
        assert end_other_sessions(user=ada, kept_key=kept, actor=GRACE) == 0
        assert len(audit_rows()) == 1

    def test_ends_all_without_a_key(self, ada):
        log_in(ada), log_in(ada)
        assert end_other_sessions(user=ada, kept_key=None, actor=GRACE) == 2
        assert list(sessions_of(ada)) == []


class TestSessionsOf:
    def test_are_the_active_ones_of_the_user_the_last_used_first(self, ada):
        (_, old), (_, ended), (_, earlier), (_, twin), (_, new) = [log_in(ada) for _ in range(5)]
        for session, hours in ((old, 3), (ended, 0), (earlier, 0), (twin, 2), (new, 2)):
            change(session, last_used_at=new.began_at - hours * AN_HOUR)
        change(ended, ends_at=ended.began_at - A_SECOND)
        change(earlier, password_digest="of an earlier password")
        assert list(sessions_of(ada)) == [new, twin, old]


class TestIsOfKey:
    def test_is_only_the_session_with_that_key(self, ada):
        (key, session), (other_key, other) = log_in(ada), log_in(ada)
        assert [is_of_key(session, each) for each in (key, other_key, None)] == [True, False, False]
        assert is_of_key(other, other_key)


class TestTimeLeft:
    def test_is_that_of_the_session_with_the_key(self, ada):
        (short, first), (long, second) = log_in(ada), log_in(ada)
        change(first, ends_at=first.began_at + timedelta(seconds=300.5))
        change(second, ends_at=second.began_at + timedelta(seconds=800.5))
        assert (time_left(short), time_left(long)) == (TimeLeft(300, True), TimeLeft(800, True))
        assert time_left("k" * 32) == time_left(None) == TimeLeft(0, may_grow=False)

    def test_is_missing_once_the_session_has_ended(self, ada):
        key, session = log_in(ada)
        change(session, ends_at=session.began_at)
        assert time_left(key) == TimeLeft(0, may_grow=False)

    @pytest.mark.parametrize(("before", "may_grow"), [(timedelta(0), False), (A_SECOND, True)])
    def test_may_grow_up_to_exactly_the_maximum_age(self, ada, settings, before, may_grow):
        key, session = log_in(ada)
        longest = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        change(session, ends_at=F("began_at") + longest - before)
        assert time_left(key).may_grow is may_grow
