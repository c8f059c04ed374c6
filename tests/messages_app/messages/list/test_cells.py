import pytest

from messages_app.messages import selectors
from messages_app.messages.filters.filters import ARCHIVED, MessageFilter
from messages_app.messages.list import cells, rows
from messages_app.messages.list.saved_views import COLUMNS
from tests.support.factories import make_archived_message, make_funnel, make_message

pytestmark = pytest.mark.django_db

EVIL = "<b>\"'&"
ESCAPED = "&lt;b&gt;&quot;&#x27;&amp;"


def body(*columns: str, back: str = "", **values: object) -> str:
    """Return the rows of the list with these columns, the newest message first."""
    found = selectors.message_page(filters=MessageFilter(values)).rows
    rows.mark(found)
    return cells.rows_of(
        found, COLUMNS.table(columns, is_compact=False), cells.links_of(back, MessageFilter())
    )


class TestRowsOf:
    def test_has_a_box_and_a_cell_of_each_chosen_column_in_order(self):
        make_message(msg_id=7)
        parts = body("service", "source").split("<td ")
        assert [part.split('"')[1] for part in parts[1:]] == [
            "c-select",
            "c-state",
            "c-service",
            "c-source clip",
        ]
        assert 'value="7"' in parts[1]
        assert 'aria-label="Select message 7"' in parts[1]

    def test_escapes_what_the_hub_wrote_in_every_column(self):
        parent = make_message()
        message = make_message(
            correlation_id=EVIL,
            service_name=EVIL,
            operation_name=EVIL,
            source_system=EVIL,
            object_id=EVIL,
            state="FAILED",
            failed_error_code="<b>",
            failed_desc=f"{EVIL} failed",
            failed_count=1,
            parent_msg_id=parent.pk,
            parent_binding_type="<b>",
            process_id=EVIL,
            funnel_component_id=EVIL,
        )
        make_funnel(message, funnel_value=EVIL)
        shown = body(*COLUMNS.names)
        assert "<b>" not in shown
        assert shown.count(ESCAPED) >= 10
        # Escaped once: nowhere twice.
        assert "&amp;lt;" not in shown

    def test_links_a_message_back_to_its_list(self):
        make_message(msg_id=7)
        assert 'href="/messages/7/?state=OK&amp;x=1"' in body("key", back="?state=OK&x=1")

    def test_opens_the_message_by_its_key_or_else_by_its_id(self):
        make_message(msg_id=7)
        assert body("key", "id").count("data-row-link") == 1
        assert '<a href="/messages/7/" data-row-link>7</a>' in body("id")

    def test_leads_to_the_parent_and_to_the_children(self):
        parent = make_message(msg_id=7)
        make_message(msg_id=8, parent_msg_id=parent.pk, parent_binding_type="HARD")
        child, head = body("family").split("</tr>")[:2]
        assert 'href="/messages/7/" aria-label="Child of 7, HARD"' in child
        assert 'href="/messages/?parent_msg_id=7" aria-label="Children of 7"' in head

    def test_stays_in_the_archive_for_funnels_of_archived_messages(self):
        make_archived_message(funnel_value="a b")
        assert 'href="/messages/?funnel_value=a+b&amp;archived=true"' in body("funnel", **{ARCHIVED: True})

    @pytest.mark.parametrize(("count", "text"), [(1, "Failed 1 time"), (2, "Failed 2 times")])
    def test_says_how_often_a_message_failed(self, count, text):
        make_message(failed_count=count)
        assert f'title="{text}"' in body("tries")

    def test_leaves_cells_without_a_value_empty(self):
        make_message(failed_count=0)
        shown = body("error", "tries", "funnel", "family", "parent", "funnel_value")
        for cell in ("c-error", "c-funnel", "c-family"):
            assert f'<td class="{cell}"></td>' in shown
        assert " failed" not in shown
        assert all(f'{label}"></td>' in shown for label in ("Parent", "Funnel value"))

    def test_shows_the_time_in_the_state_since_the_last_processing(self):
        make_message(last_process_timestamp=None)
        assert 'title="2026' in body("age")
