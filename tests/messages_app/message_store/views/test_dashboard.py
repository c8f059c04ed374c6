import pytest

from messages_app.message_store.services.messages import mute_message
from messages_app.message_store.services.monitor import fold_counts
from messages_app.message_store.views import dashboard
from tests.support.page_client import client_of, text_of
from tests.support.page_tables import read_facts, read_table, read_texts
from tests.support.stores import ADA, define, define_orders, execute, make_older, process, set_process, store

pytestmark = pytest.mark.django_db
HOME, LIST = "/message-store/", "/message-store/messages/"


def store_in_status(count: int, **columns: object) -> None:
    for _ in range(count):
        set_process(store(), **columns)


class TestDashboard:
    def test_counts_the_lines_that_it_does_not_show(self, monkeypatch):
        for entity in ("a", "b", "c"):
            store(entity=entity)
        client = client_of("support")
        context = client.get(HOME).context
        assert (len(context["lines"]), context["more_lines"], context["total"]) == (3, 0, 3)
        monkeypatch.setattr(dashboard, "_MAX_LINES", 1)
        context = client.get(HOME).context
        assert (len(context["lines"]), context["more_lines"], context["total"]) == (1, 2, 3)

    def test_counts_by_status_system_and_entity(self):
        define()
        process(store([{"id": 1}]))
        store(entity="order")
        set_process(store(entity=None), status=22)
        page = text_of(client_of("support").get(HOME))
        assert "3 messages" in page
        for words in ("10 processed", "0 not processed", "22 message invalid", "not specified"):
            assert words in page
        assert "?status=10&amp;source_system=crm&amp;source_entity=customer" in page

    def test_has_each_number_under_its_name_with_a_link_to_these_messages(self):
        define()
        store_in_status(3, status=3)
        store_in_status(4, status=1)
        store_in_status(5, status=2, next_attempt_timestamp="2026-01-01T00:00:00Z")
        store_in_status(6, status=2, next_attempt_timestamp="2040-01-01T00:00:00Z")
        store_in_status(7, status=26)
        store_in_status(8, status=10)
        for _ in range(2):
            mute_message(identifier=store(), actor=ADA, reason="known")
        page = client_of("support").get(HOME)

        assert f'<a href="{LIST}?status=26">7 messages</a> gave up' in text_of(page)
        facts = read_facts(page)
        assert facts["Queued"].links == {"3": f"{LIST}?status=3"}
        assert facts["Processing"].links == {"4": f"{LIST}?status=1"}
        assert facts["Overdue"].links == {"5": f"{LIST}?status=2&next_attempt_timestamp_to=-0s"}
        assert facts["Muted (not counted above)"].links == {"2": f"{LIST}?muted=true"}
        by_status = {
            line["Status"].text: (line["Messages"].text, line["Status"].link)
            for line in read_table(page, "Messages by status")
        }
        assert by_status == {
            "0 not processed": ("2", f"{LIST}?status=0"),
            "1 processing": ("4", f"{LIST}?status=1"),
            "2 requires reprocessing": ("11", f"{LIST}?status=2"),
            "3 queued": ("3", f"{LIST}?status=3"),
            "10 processed": ("8", f"{LIST}?status=10"),
            "26 reprocess timeout": ("7", f"{LIST}?status=26"),
        }
        assert read_texts(page, "Messages by system and entity", "System", "Entity", "Messages") == [
            ("crm", "customer", "35")
        ]

    def test_draws_the_classes_as_parts_of_the_messages_of_all_and_of_each_entity(self):
        define()
        for count, status in ((5, 10), (1, 1), (2, 3), (4, 2), (1, 7), (6, 26)):
            store_in_status(count, status=status)
        set_process(store(entity="order"), status=10)
        context = client_of("support").get(HOME).context
        orders = next(line for line in context["lines"] if line.entity == "order")
        customers = next(line for line in context["lines"] if line.entity == "customer")
        assert [(share.name, share.count, share.width) for share in customers.shares] == [
            ("done", 5, 26.32),
            ("running", 3, 15.79),
            ("planned", 4, 21.05),
            ("", 1, 5.26),
            ("failed", 6, 31.58),
        ]
        assert [(figure.tone, figure.count) for figure in customers.figures] == [
            ("done", 5),
            ("running", 3),
            ("planned", 4),
            ("", 1),
            ("failed", 6),
        ]
        assert [share.count for share in orders.shares] == [1, 0, 0, 0, 0]
        assert [share.count for share in context["whole"].shares] == [6, 3, 4, 1, 6]
        assert (customers.total, orders.total, context["whole"].total, context["total"]) == (19, 1, 20, 20)

    def test_links_to_no_list_with_other_messages(self):
        store(entity=None)
        assert "source_entity=" not in text_of(client_of("support").get(HOME))

    def test_warns_of_messages_that_gave_up_and_names_the_missing_records(self):
        define_orders()
        order = store([{"id": 1, "customer": 77}], entity="order")
        make_older(order, "60 days")
        process(order)
        page = text_of(client_of("support").get(HOME))
        assert "1 message</a> gave up" in page
        assert "[77]" in page

    def test_also_counts_changes_that_the_monitor_has_folded(self):
        store()
        fold_counts()
        execute("DELETE FROM message_count_change")
        assert "1 messages" in text_of(client_of("support").get(HOME))

    def test_explains_how_to_send_messages_if_the_list_is_empty(self):
        assert "The store is empty" in text_of(client_of("support").get(HOME))

    def test_is_for_users_with_permission(self):
        assert client_of().get(HOME).status_code == 403
