import pytest

from messages_app.messages import selectors
from messages_app.messages.filters.message_filter import ARCHIVED, MessageFilter
from messages_app.messages.listing import marks
from messages_app.messages.models import ArchiveFunnel
from tests.support.factories import make_archived_message, make_funnel, make_message, next_id

pytestmark = pytest.mark.django_db


def marked(**values: object) -> dict:
    rows = selectors.message_page(filters=MessageFilter(values)).rows
    marks.mark_rows(rows)
    return {row.pk: row for row in rows}


class TestMark:
    def test_have_parents_and_funnel_values_of_live_and_archived_messages(self):
        parent, old = make_message(), make_archived_message()
        child = make_message(parent_msg_id=parent.pk)
        make_archived_message(parent_msg_id=old.pk)
        make_funnel(child, funnel_value="b")
        make_funnel(child, funnel_value="a")
        ArchiveFunnel.objects.create(funnel_id=next_id(), msg_id=old.pk, funnel_value="c")
        rows = marked(**{ARCHIVED: "any"})
        assert {key for key, row in rows.items() if row.is_parent} == {parent.pk, old.pk}
        assert rows[child.pk].funnel_values == ["b", "a"]
        assert rows[old.pk].funnel_values == ["c"]
        assert rows[parent.pk].funnel_values == []

    def test_falls_back_to_the_column_of_older_hubs(self):
        message = make_message(funnel_value="old")
        assert marked()[message.pk].funnel_values == ["old"]

    def test_run_no_query_for_an_empty_page(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            marks.mark_rows([])
