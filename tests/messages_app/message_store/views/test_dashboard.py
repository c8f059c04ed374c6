import pytest

from messages_app.message_store import services
from tests.support.page_client import client_of, text_of
from tests.support.stores import define, define_orders, execute, make_older, process, set_process, store

pytestmark = pytest.mark.django_db
HOME = "/message-store/"


class TestDashboard:
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

    def test_links_to_no_list_with_other_messages(self):
        store(entity=None)
        assert "source_entity=" not in text_of(client_of("support").get(HOME))

    def test_warns_of_those_that_gave_up_and_names_what_is_missing(self):
        define_orders()
        order = store([{"id": 1, "customer": 77}], entity="order")
        make_older(order, "60 days")
        process(order)
        page = text_of(client_of("support").get(HOME))
        assert "1 message</a> gave up" in page
        assert "[77]" in page

    def test_also_counts_changes_that_the_monitor_has_folded(self):
        store()
        services.fold_counts()
        execute("DELETE FROM message_count_change")
        assert "1 messages" in text_of(client_of("support").get(HOME))

    def test_explains_how_to_send_messages_if_there_are_none(self):
        assert "The store is empty" in text_of(client_of("support").get(HOME))

    def test_is_for_users_with_permission(self):
        assert client_of().get(HOME).status_code == 403
