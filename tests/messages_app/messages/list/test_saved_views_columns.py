from messages_app.messages.list.saved_views import COLUMNS
from messages_app.messages.models import Message

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
