import pytest
from django.contrib.auth.models import User
from django.db import connection

from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.list.models import SavedView
from tests.support.emptying import empty_tables
from tests.support.factories import make_user


@pytest.mark.django_db(transaction=True)
class TestEmptyTables:
    def test_keeps_rows_of_migrations_when_the_tables_they_reference_are_emptied(self):
        SavedView.objects.create(owner=make_user("support"), name="mine", query="state=FAILED")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE saved_view, auth_user")  # then they count as large

        empty_tables()

        assert (SavedView.objects.count(), User.objects.count()) == (0, 0)
        assert WatchRule.objects.filter(is_built_in=True).count() == 1
