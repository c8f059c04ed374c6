"""Reads of users."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission

from messages_app.access.users.selectors import list_administrators_to_ask
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestAdministratorsToAsk:
    def test_are_a_few_active_ones_who_logged_in_last(self):
        make_user("support", username="sue")
        make_user("admin", username="gone", is_active=False)
        make_user("admin", username="never")
        for day, username in enumerate(("ada", "bob", "cleo"), start=1):
            make_user("admin", "operator", username=username, last_login=datetime(2026, 11, day, tzinfo=UTC))
        assert list_administrators_to_ask() == ["cleo", "bob", "ada"]

    def test_have_their_full_names_and_include_superusers(self):
        make_user(username="root", first_name="Ada", last_name="King", is_superuser=True)
        assert list_administrators_to_ask() == ["Ada King"]

    def test_include_users_who_may_give_roles_without_the_role_of_administrators(self):
        eve = make_user("support", username="eve")
        eve.user_permissions.add(Permission.objects.get(codename="manage_users"))
        make_user("operator", username="oscar")
        assert list_administrators_to_ask() == ["eve"]
