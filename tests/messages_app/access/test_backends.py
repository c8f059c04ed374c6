"""The backend gives each user the rights that Django's own backend gives, by one statement."""

from datetime import timedelta

import pytest
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Group, Permission, User
from django.db.models.functions import Now

from messages_app.access.backends import RightsBackend, token_with_user, user_with_rights
from messages_app.access.models import ApiToken
from messages_app.access.token_services import create_token, digest_key
from messages_app.audit.services import SYSTEM
from tests.support.api_client import caller
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db

COLUMNS = [
    "password",
    "last_login",
    "is_superuser",
    "username",
    "first_name",
    "last_name",
    "email",
    "is_staff",
    "is_active",
    "date_joined",
]


def permission(name: str) -> Permission:
    return Permission.objects.get(codename=name)


def member(username: str = "ada", **columns: object) -> User:
    """Return a user with one right of their own, and two of a group, one of them the same."""
    user = make_user(username=username, **columns)
    group = Group.objects.create(name=f"group of {username}")
    group.permissions.add(permission("view_message"), permission("cancel_message"))
    user.user_permissions.add(permission("view_message"), permission("view_job"))
    user.groups.add(group)
    return user


def rights_of(user: User) -> set[str]:
    """Return the rights of a user as a request has them."""
    return RightsBackend().get_all_permissions(user_with_rights(user.pk))


class TestRightsBackend:
    def test_gives_own_rights_and_those_of_groups(self):
        assert rights_of(member()) == {
            "messages_app.view_message",
            "messages_app.cancel_message",
            "messages_app.view_job",
        }

    def test_gives_a_superuser_every_right(self):
        rights = rights_of(make_user(is_superuser=True))
        assert len(rights) == Permission.objects.count() > 50

    @pytest.mark.parametrize("columns", [{}, {"is_active": False}, {"is_superuser": True}])
    def test_gives_the_rights_that_djangos_backend_gives(self, columns):
        member("eve")
        user = member(**columns)
        expected = ModelBackend().get_all_permissions(User.objects.get(pk=user.pk))
        assert rights_of(user) == expected

    def test_gives_no_rights_to_single_objects(self):
        user = user_with_rights(member().pk)
        assert RightsBackend().get_all_permissions(user, make_message()) == set()

    def test_returns_the_user_as_stored(self):
        user = member(email="ada@example.org", first_name="Ada", is_staff=True)
        found = RightsBackend().get_user(user.pk)
        stored = User.objects.get(pk=user.pk)
        assert {name: getattr(found, name) for name in COLUMNS} == {
            name: getattr(stored, name) for name in COLUMNS
        }

    def test_returns_no_disabled_user(self):
        assert RightsBackend().get_user(member(is_active=False).pk) is None

    def test_returns_no_deleted_user(self):
        assert user_with_rights(7_000_000) is None


class TestRequests:
    def test_to_the_api_need_two_statements_before_the_answer(self, django_assert_num_queries):
        client = caller("support")
        message = make_message()
        client.get("messages/")  # the first of a minute also records the use of the token
        # The token with its user, the limit, the message, and the links to its corrections.
        with django_assert_num_queries(4):
            assert client.get(f"messages/{message.pk}/").status_code == 200

    def test_of_a_page_see_a_withdrawn_right_immediately(self):
        client = client_of("support")
        assert client.get("/messages/").status_code == 200
        User.objects.get().groups.clear()
        assert client.get("/messages/").status_code == 403


class TestTokenWithUser:
    def test_returns_the_token_of_the_key_among_several_of_a_user(self):
        user = member()
        keys = [create_token(user=user, name=name, actor=SYSTEM) for name in ("one", "two")]
        for token, key in keys:
            found = token_with_user(digest_key(key))
            assert (found.token, found.token.user) == (token, user)
            assert (found.is_expired, found.is_use_due) == (False, True)
            assert found.token.scopes is None

    def test_returns_nothing_for_an_unknown_key(self):
        create_token(user=member(), name="one", actor=SYSTEM)
        assert token_with_user(digest_key("unknown")) is None

    def test_is_due_again_after_a_minute_of_use(self):
        _, key = create_token(user=member(), name="one", actor=SYSTEM)
        for seconds, is_due in ((50, False), (70, True)):
            ApiToken.objects.update(last_used_at=Now() - timedelta(seconds=seconds))
            assert token_with_user(digest_key(key)).is_use_due is is_due

    def test_returns_each_column_as_stored(self):
        user = member(email="ada@example.org", first_name="Ada", last_name="Lovelace", is_staff=True)
        member("eve")
        User.objects.filter(pk=user.pk).update(last_login=Now() - timedelta(hours=3))
        _, key = create_token(
            user=user, name="one", actor=SYSTEM, days=7, requests_per_minute=33, scopes=["jobs:run"]
        )
        ApiToken.objects.update(
            last_used_at=Now() - timedelta(hours=1), revoked_at=Now() - timedelta(hours=2)
        )
        token = token_with_user(digest_key(key)).token
        names = [column.attname for column in ApiToken._meta.concrete_fields]
        assert {name: getattr(token, name) for name in names} == ApiToken.objects.values().get()
        stored = User.objects.values("id", *COLUMNS).get(pk=user.pk)
        assert {name: getattr(token.user, name) for name in stored} == stored
        assert token.user.get_all_permissions() == {
            "messages_app.view_message",
            "messages_app.cancel_message",
            "messages_app.view_job",
        }

    def test_has_expired_from_its_end_on(self):
        _, key = create_token(user=member(), name="one", actor=SYSTEM)
        for seconds, is_expired in ((-5, True), (5, False)):
            ApiToken.objects.update(expires_at=Now() + timedelta(seconds=seconds))
            assert token_with_user(digest_key(key)).is_expired is is_expired
