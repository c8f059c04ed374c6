from datetime import timedelta

import pytest
from lxml import html

from messages_app.messages import selectors
from messages_app.messages.filters.message_filter import ARCHIVED, MessageFilter
from messages_app.messages.listing import rows
from messages_app.messages.listing.table_settings import COLUMNS
from messages_app.messages.models import ArchiveFunnel
from tests.support.factories import NOON, make_archived_message, make_funnel, make_message, next_id
from tests.support.page_outlines import outline_of

pytestmark = pytest.mark.django_db

EVIL = "<b>\"'&"
ESCAPED = "&lt;b&gt;&quot;&#x27;&amp;"


def body(*columns: str, back: str = "", **values: object) -> str:
    """Return the rows of the list with these columns, the newest message first."""
    filters = MessageFilter(values)
    found = selectors.message_page(filters=filters).rows
    table = COLUMNS.choose_columns(columns, is_compact=False)
    return rows.draw_rows(found, table, rows.links_of(back, filters))


def cells_of(row: str) -> dict[str, str]:
    """Return the text of each cell of the first row with its links, by the class of its column."""
    cells_shown = html.fromstring(f"<table>{row}</table>").xpath("//tr")[0].xpath("td")
    return {
        cell.get("class").split()[0].removeprefix("c-rows-"): " | ".join(outline_of(cell))
        for cell in cells_shown
    }


DIFFERENT = {
    "msg_id": 7,
    "correlation_id": "corr-1",
    "process_id": "process-2",
    "object_id": "object-3",
    "entity_type": "invoice",
    "service_name": "billing",
    "operation_name": "createInvoice",
    "source_system": "CRM",
    "state": "FAILED",
    "failed_error_code": "E103",
    "failed_desc": "E103: refused\nat X",
    "failed_count": 4,
    "parent_msg_id": 5,
    "parent_binding_type": "HARD",
    "funnel_value": "hot",
    "funnel_component_id": "component-5",
    "guaranteed_order": True,
    "exclude_failed_state": False,
    "node_id": 6,
    "msg_timestamp": NOON + timedelta(minutes=1),
    "receive_timestamp": NOON + timedelta(minutes=2),
    "start_process_timestamp": NOON + timedelta(minutes=3),
    "last_process_timestamp": NOON + timedelta(minutes=4),
    "start_in_queue_timestamp": NOON + timedelta(minutes=5),
}


class TestDrawRows:
    def test_has_each_value_in_its_own_cell(self):
        make_message(**DIFFERENT)
        make_message(msg_id=8, parent_msg_id=7)
        shown = cells_of(body(*COLUMNS.names, back="?b=1", correlation_id="corr-1"))
        assert shown.pop("age").startswith("(title: 2026-11-01 12:04:00 UTC) ")
        assert shown == {
            "select": "<msg_id=7> (label: Select message 7)",
            "state": "{FAILED} FAILED",
            "received": "@2026-11-01T12:02:00Z 2026-11-01 12:02:00 UTC",
            "service": "billing createInvoice",
            "source": "CRM",
            "key": "[corr-1](/messages/7/?b=1) 7 · object-3",
            "error": "Refused E103",
            "tries": "4",
            "funnel": "(label: Messages in funnel hot) [](/messages/?funnel_value=hot)",
            "family": "(label: Child of 5, HARD) [](/messages/5/)"
            "(label: Children of 7) [](/messages/?parent_msg_id=7)",
            "id": "[7](/messages/7/?b=1)",
            "sent": "2026-11-01 12:01:00 UTC",
            "started": "2026-11-01 12:03:00 UTC",
            "processed": "2026-11-01 12:04:00 UTC",
            "queued": "2026-11-01 12:05:00 UTC",
            "process": "process-2",
            "object": "object-3",
            "entity": "invoice",
            "funnel_value": "[hot](/messages/?funnel_value=hot)",
            "component": "component-5",
            "parent": "[5](/messages/5/)",
            "binding": "HARD",
            "ordered": "true",
            "excluded": "false",
            "node": "6",
        }

    @pytest.mark.parametrize(
        ("code", "text", "shown"),
        [
            ("E103", "refused", "Refused E103"),
            ("E103", "E103: a.ReadException: no row", "Read: no row E103 a.ReadException: no row"),
            (None, "E103: refused", "Refused E103: refused"),
            ("E103", None, "E103"),
            (None, None, ""),
        ],
    )
    def test_has_an_error_with_a_code_or_a_text(self, code, text, shown):
        make_message(failed_error_code=code, failed_desc=text)
        assert cells_of(body("error"))["error"] == shown

    def test_marks_archived_messages_only(self):
        make_message(msg_id=7)
        make_archived_message(msg_id=8, state="NEW")
        live, archived = body("id"), body("id", **{ARCHIVED: True})
        assert ("data-row-archived" in live, "data-row-archived" in archived) == (False, True)
        assert [cells_of(each)["state"] for each in (live, archived)] == ["{NEW} NEW", "{NEW} NEW archived"]

    def test_has_a_box_and_a_cell_of_each_chosen_column_in_order(self):
        make_message(msg_id=7)
        parts = body("service", "source").split("<td ")
        assert [part.split('"')[1] for part in parts[1:]] == [
            "c-rows-select",
            "c-rows-state",
            "c-rows-service",
            "c-rows-source u-clip",
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
        assert body("key", "id").count("c-rows-link") == 1
        assert '<a href="/messages/7/" class="c-rows-link">7</a>' in body("id")

    def test_shows_the_end_of_a_long_id(self):
        make_message(correlation_id="BILLING-X20261129-00000163")
        assert '<span class="u-id-start">BILLING-X2026112</span>9-00000163</a>' in body("key")

    def test_leads_to_the_parent_and_to_the_children(self):
        parent = make_message(msg_id=7)
        make_message(msg_id=8, parent_msg_id=parent.pk, parent_binding_type="HARD")
        child, head = body("family").split("</tr>")[:2]
        assert 'href="/messages/7/" aria-label="Child of 7, HARD"' in child
        assert 'href="/messages/?parent_msg_id=7" aria-label="Children of 7"' in head

    def test_stays_in_the_archive_for_funnels_of_archived_messages(self):
        make_archived_message(funnel_value="a b")
        assert 'href="/messages/?funnel_value=a+b&amp;archived=true"' in body("funnel", **{ARCHIVED: True})

    def test_does_not_lead_to_the_list_of_one_funnel_value_from_itself(self):
        """A message with further values does."""
        single, several = make_message(funnel_value="hot"), make_message(funnel_value="hot")
        make_funnel(several, funnel_value="cold")
        more, only = body("key", "funnel", funnel_value="hot").split("</tr>")[:2]
        assert f"/messages/{single.pk}/" in only
        assert '<td class="c-rows-funnel"></td>' in only
        assert "Messages in funnel" in more

    def test_says_how_often_a_message_failed(self):
        make_message(failed_count=2)
        assert body("tries").endswith(">2</td></tr>")

    def test_leaves_cells_without_a_value_empty(self):
        make_message(failed_count=0)
        shown = body("error", "tries", "funnel", "family", "parent", "funnel_value")
        for cell in ("c-rows-error", "c-rows-funnel", "c-rows-family"):
            assert f'<td class="{cell}"></td>' in shown
        assert " failed" not in shown
        assert 'data-label="Parent"' not in shown
        assert '-funnel_value"></td>' in shown

    def test_shows_the_time_in_the_state_since_the_last_processing(self):
        make_message(last_process_timestamp=None)
        assert 'title="2026' in body("age")


pytestmark = pytest.mark.django_db


def marked(**values: object) -> dict:
    messages = selectors.message_page(filters=MessageFilter(values)).rows
    rows.mark_rows(messages)
    return {row.pk: row for row in messages}


class TestMark:
    def test_have_parents_and_funnel_values_of_live_and_archived_messages(self):
        parent, old = make_message(), make_archived_message()
        child = make_message(parent_msg_id=parent.pk)
        make_archived_message(parent_msg_id=old.pk)
        make_funnel(child, funnel_value="b")
        make_funnel(child, funnel_value="a")
        ArchiveFunnel.objects.create(funnel_id=next_id(), msg_id=old.pk, funnel_value="c")
        messages = marked(**{ARCHIVED: "any"})
        assert {key for key, row in messages.items() if row.is_parent} == {parent.pk, old.pk}
        assert messages[child.pk].funnel_values == ["b", "a"]
        assert messages[old.pk].funnel_values == ["c"]
        assert messages[parent.pk].funnel_values == []

    def test_falls_back_to_the_column_of_older_hubs(self):
        message = make_message(funnel_value="old")
        assert marked()[message.pk].funnel_values == ["old"]

    def test_run_no_query_for_an_empty_page(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            rows.mark_rows([])
