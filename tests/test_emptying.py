import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection

from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.listing.models import SavedView
from tests.support.emptying import empty_tables
from tests.support.factories import make_messages, make_user
from tests.support.fillings import undone_filling


@pytest.mark.django_db(transaction=True)
class TestEmptyTables:
    def test_keeps_rows_of_migrations_when_the_tables_they_reference_are_emptied(self):
        SavedView.objects.create(owner=make_user("support"), name="mine", query="state=FAILED")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE saved_view, auth_user")  # then they count as large

        empty_tables()

        assert (SavedView.objects.count(), User.objects.count()) == (0, 0)
        assert WatchRule.objects.filter(is_built_in=True).count() == 1

    def test_keeps_the_roles_and_gives_changed_ones_their_permissions_again(self):
        support, operator = (Group.objects.get(name=name) for name in ("support", "operator"))
        rights = set(operator.permissions.values_list("codename", flat=True))
        assert {"cancel_message", "view_message"} <= rights

        empty_tables()
        assert Group.objects.get(name="support").pk == support.pk

        operator.permissions.remove(Permission.objects.get(codename="cancel_message"))
        support.delete()
        Group.objects.create(name="night shift")
        empty_tables()
        assert set(Group.objects.values_list("name", flat=True)) == {
            *("support", "operator", "admin", "view_payload"),
            *("history_service", "cp_service", "deployment_pipeline", "edit_payload"),
        }
        assert (
            set(Group.objects.get(name="operator").permissions.values_list("codename", flat=True)) == rights
        )

    def test_leaves_no_pages_and_figures_of_rows_that_were_undone(self, django_db_blocker):
        with undone_filling(django_db_blocker) as cursor:
            make_messages(100)
            cursor.execute("ANALYZE message")
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_relation_size(oid), reltuples FROM pg_class WHERE oid = 'message'::regclass"
            )
            assert cursor.fetchone() == (0, -1)
