from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import IntegrityError, connection
from django.db.models import F

from messages_app.access.models import UserSession
from messages_app.access.sessions.services import SessionNotFound, end_session
from messages_app.access.sessions.store import SessionStore
from messages_app.access.token_services import digest_key
from messages_app.access.unmasking_views import mask_again, start_unmasking
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.clock import database_clock
from tests.messages_app.access.sessions.test_store import key_of
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.factories import make_user
from tests.support.page_client import client_of, reader_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada")
A_MINUTE = timedelta(minutes=1)


def ask(client, *, user: object = None, reason: str = "a call of the customer", actor: Actor = ADA):
    user = user or UserSession.objects.get(key_sha256=digest_key(key_of(client))).user
    return start_unmasking(user=user, session_key=key_of(client), reason=reason, actor=actor)


def until_of(client) -> object:
    return SessionStore(key_of(client)).revealed_until


def move_end(span: timedelta) -> None:
    """Make all reveals end earlier by this time."""
    UserSession.objects.update(revealed_until=F("revealed_until") - span)


class TestReveal:
    def test_shows_values_for_a_while_by_the_databases_clock(self, settings):
        client = client_of("support", "view_payload")
        assert until_of(client) is None
        settings.REVEAL_MINUTES = 7
        until = ask(client)
        assert timedelta(minutes=6, seconds=50) < until - database_clock() <= timedelta(minutes=7)
        assert until_of(client) == until
        move_end(timedelta(minutes=6, seconds=30))
        assert until_of(client)
        move_end(A_MINUTE)
        assert until_of(client) is None

    def test_is_in_the_audit_with_reason_and_end(self):
        client_of("support", "view_payload", username="bob")
        client = client_of("support", "view_payload")
        until = ask(client, actor=GRACE)
        session = UserSession.objects.get(key_sha256=digest_key(key_of(client)))
        details = {"session_id": session.pk, "until": until.isoformat()}
        assert audit_rows() == [by_grace("reveal_values", reason="a call of the customer", details=details)]

    def test_applies_to_only_one_session(self):
        here, there = client_of("support", "view_payload"), client_of("view_payload", username="bob")
        ask(here)
        assert until_of(there) is None

    def test_does_not_change_an_ended_session_or_one_of_another_user(self):
        ada, bob = client_of("support", "view_payload"), make_user("view_payload", username="bob")
        with pytest.raises(SessionNotFound):
            ask(ada, user=bob)
        session = UserSession.objects.get()
        UserSession.objects.update(ends_at=F("began_at"))
        with pytest.raises(SessionNotFound):
            ask(ada)
        end_session(user=session.user, session_id=session.pk, actor=ADA)
        with pytest.raises(SessionNotFound):
            ask(ada, user=session.user)
        assert not AuditEntry.objects.filter(action="reveal_values").exists()

    def test_needs_its_entry_in_the_audit(self):
        client = client_of("support", "view_payload")
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE audit_entry ADD CONSTRAINT none_now CHECK (reason = '') NOT VALID")
        with pytest.raises(IntegrityError, match="none_now"):
            ask(client)
        assert until_of(client) is None


class TestMaskAgain:
    def test_masks_immediately_and_records_it_in_the_audit(self):
        client = reader_of("support")
        assert mask_again(session_key=key_of(client), actor=GRACE)
        assert until_of(client) is None
        session = UserSession.objects.get()
        assert audit_rows("mask_values") == [by_grace("mask_values", details={"session_id": session.pk})]

    def test_does_not_change_other_sessions(self):
        here, there = reader_of("support"), reader_of("support", username="bob")
        mask_again(session_key=key_of(here), actor=ADA)
        assert until_of(there)

    def test_changes_nothing_if_values_are_masked(self):
        client = reader_of("support")
        move_end(16 * A_MINUTE)
        assert not mask_again(session_key=key_of(client), actor=ADA)
        assert not mask_again(session_key="k" * 32, actor=ADA)
        assert not AuditEntry.objects.filter(action="mask_values").exists()


class TestLosingTheRight:
    """A reveal ends when its user loses the permission, and does not return with it."""

    def test_ends_it_when_the_user_leaves_the_group(self):
        client = reader_of("support")
        group, user = Group.objects.get(name="view_payload"), UserSession.objects.get().user
        user.groups.remove(group)
        user.groups.add(group)
        assert until_of(client) is None
        assert client.get("/").wsgi_request.reading.may_reveal

    def test_ends_it_when_the_permission_is_taken_from_user_or_group(self):
        right = Permission.objects.get(codename="view_payload")
        for holder in ("user", "group"):
            client = client_of("support", username=holder)
            user = UserSession.objects.get(user__username=holder).user
            rights = user.user_permissions if holder == "user" else user.groups.get().permissions
            rights.add(right)
            ask(client)
            assert until_of(client)
            rights.remove(right)
            rights.add(right)
            assert until_of(client) is None, holder

    @pytest.mark.parametrize("column", ["is_superuser", "is_active"])
    def test_ends_it_when_the_user_is_not_a_superuser_or_disabled(self, column):
        client = client_of()
        User.objects.update(is_superuser=True)
        ask(client)
        User.objects.update(**{column: False})
        User.objects.update(**{column: True})
        assert until_of(client) is None

    def test_also_ends_it_in_sql(self):
        client = reader_of("support")
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM auth_user_groups")
        assert until_of(client) is None

    def test_does_not_change_other_users_and_ignores_other_changes(self):
        here, there = reader_of("support"), reader_of("support", username="bob")
        User.objects.get(username="ada").groups.clear()
        bob = User.objects.get(username="bob")
        bob.groups.add(Group.objects.get(name="operator"))
        User.objects.update(last_login="2026-11-21T10:00:00Z", is_staff=True)
        assert (until_of(here), until_of(there) is None) == (None, False)


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_masking_is_audited_once_for_many_requests(self):
        client = reader_of("support")
        key = key_of(client)
        told = in_threads(*[lambda: mask_again(session_key=key, actor=ADA)] * 4)
        assert sorted(told) == [False, False, False, True]
        assert AuditEntry.objects.filter(action="mask_values").count() == 1

    def test_ending_the_session_leaves_nothing_shown(self):
        client = client_of("support", "view_payload")
        session, key = UserSession.objects.get(), key_of(client)

        def ask_again() -> str:
            try:
                start_unmasking(user=session.user, session_key=key, reason="r", actor=ADA)
            except SessionNotFound:
                return "ended before"
            return "shown before"

        def end() -> None:
            end_session(user=session.user, session_id=session.pk, actor=ADA)

        outcome, _ = in_threads(ask_again, end)
        assert until_of(client) is None
        assert not UserSession.objects.exists()
        entries = AuditEntry.objects.filter(action="reveal_values").count()
        assert entries == (1 if outcome == "shown before" else 0)
