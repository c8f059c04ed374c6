import pytest

from messages_app.core.problems import Problem
from messages_app.messages.listing import table_settings
from messages_app.messages.listing.models import ListPreference
from messages_app.messages.listing.table_settings import COLUMNS
from messages_app.messages.models import Message
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


class TestTableOf:
    def test_is_the_default_for_users_without_a_choice(self):
        table = table_settings.table_of(make_user("support"))
        assert table.names == COLUMNS.default_names | {"state"}
        assert not table.is_compact
        assert not table.is_wide

    def test_drops_columns_that_no_longer_exist(self):
        ada = make_user("support")
        ListPreference.objects.create(user=ada, columns=["sent", "gone"])
        table = table_settings.table_of(ada)
        assert [column.name for column in table.columns] == ["state", "sent"]
        assert table.is_wide


class TestKeep:
    def test_keeps_the_last_choice_of_each(self):
        ada, bob = make_user("support"), make_user("support", username="bob")
        table_settings.keep_table(user=ada, columns=["sent"])
        table_settings.keep_table(user=ada, columns=["key", "error"])
        assert table_settings.table_of(ada).names == {"state", "key", "error"}
        assert table_settings.table_of(bob).names > {"state", "key", "error"}

    def test_rejects_unknown_columns(self):
        with pytest.raises(Problem) as refused:
            table_settings.keep_table(user=make_user("support"), columns=["payload"])
        assert [error.field for error in refused.value.errors] == ["columns"]


class TestForget:
    def test_restores_the_default(self):
        ada = make_user("support")
        table_settings.keep_table(user=ada, columns=[])
        table_settings.forget_table(user=ada)
        assert table_settings.table_of(ada).names > {"state"}


# Return the contents of a combined column, by its name.
MADE_OF = {
    "received": ["receive_timestamp"],
    "service": ["service_name", "operation_name"],
    "key": ["correlation_id", "msg_id"],
    "error": ["failed_error_code"],
    "tries": ["failed_count"],
    "funnel_value": ["funnel_value"],
}
WIDE = {"payload", "envelope", "failed_desc", "custom_data", "business_error"}


class TestColumns:
    def test_show_every_narrow_column_of_a_message(self):
        shown = {COLUMNS.first.name} | {column.attribute for column in COLUMNS.others}
        shown |= {name for names in MADE_OF.values() for name in names}
        assert {field.name for field in Message._meta.fields} - WIDE <= shown
