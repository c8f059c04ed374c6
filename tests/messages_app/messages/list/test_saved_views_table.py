import pytest

from messages_app.core.problems import Problem
from messages_app.messages.list import saved_views
from messages_app.messages.list.models import ListPreference
from messages_app.messages.list.saved_views import COLUMNS
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestTableOf:
    def test_is_the_default_for_users_without_a_choice(self):
        table = saved_views.table_of(make_user("support"))
        assert table.names == COLUMNS.default_names | {"state"}
        assert not table.is_compact
        assert not table.is_wide

    def test_drops_columns_that_no_longer_exist(self):
        ada = make_user("support")
        ListPreference.objects.create(user=ada, columns=["sent", "gone"], density="compact")
        table = saved_views.table_of(ada)
        assert [column.name for column in table.columns] == ["state", "sent"]
        assert table.is_compact
        assert table.is_wide


class TestKeep:
    def test_keeps_the_last_choice_of_each(self):
        ada, bob = make_user("support"), make_user("support", username="bob")
        saved_views.keep_table(user=ada, columns=["sent"], density="compact")
        saved_views.keep_table(user=ada, columns=["key", "error"], density="comfortable")
        assert saved_views.table_of(ada).names == {"state", "key", "error"}
        assert saved_views.table_of(bob).names > {"state", "key", "error"}

    @pytest.mark.parametrize(
        ("columns", "density", "field"), [(["payload"], "compact", "columns"), (["key"], "tight", "density")]
    )
    def test_rejects_unknown_columns_and_densities(self, columns, density, field):
        with pytest.raises(Problem) as refused:
            saved_views.keep_table(user=make_user("support"), columns=columns, density=density)
        assert [error.field for error in refused.value.errors] == [field]


class TestForget:
    def test_restores_the_default(self):
        ada = make_user("support")
        saved_views.keep_table(user=ada, columns=[], density="compact")
        saved_views.forget_table(user=ada)
        assert saved_views.table_of(ada).names > {"state"}
