import re

import pytest

from messages_app.message_store.models import UnresolvedReference
from messages_app.message_store.views import lists
from tests.support.page_client import client_of, text_of
from tests.support.stores import define, define_orders, make_older, process, set_process, store

pytestmark = pytest.mark.django_db


class TestErrorList:
    def test_groups_failures_with_the_same_reason_and_links_to_their_messages(self):
        for number in range(3):
            set_process(store(), status=20, error_message=f"Timeout after {number} s")
        client = client_of("support")
        answer = client.get("/message-store/errors/")
        page = text_of(answer)
        assert re.search(r'data-label="Error"\s*>Timeout\s', page)
        ((group, _, bar),) = answer.context["lines"]
        assert group.count == 3
        assert len(client.get(bar.query).context["lines"]) == 3

    def test_counts_the_groups_that_it_does_not_show(self, monkeypatch):
        for error in ("lost", "late", "late", "broken", "broken", "broken"):
            set_process(store(), status=20, error_message=error)
        client = client_of("support")
        whole = client.get("/message-store/errors/").context
        assert (len(whole["lines"]), whole["more"], whole["grouped"]) == (3, 0, 6)
        monkeypatch.setattr(lists, "_MAX_GROUPS", 1)
        part = client.get("/message-store/errors/").context
        assert [group.count for group, *_ in part["lines"]] == [3]
        assert (part["more"], part["grouped"]) == (2, 6)

    def test_shows_when_nothing_failed(self):
        assert "No errors" in text_of(client_of("support").get("/message-store/errors/"))


def rows_of(page: str) -> list[str]:
    """Return the text of each row of the page's table."""
    [body] = re.findall("<tbody>(.*?)</tbody>", page, re.DOTALL)
    return [" ".join(re.sub("<[^>]*>", " ", row).split()) for row in body.split("</tr>")[:-1]]


def give_up(*customers: object) -> list[str]:
    """Store an order of each customer that gave up waiting for it."""
    orders = [store([{"id": 1, "customer": customer}], entity="order") for customer in customers]
    for order in orders:
        make_older(order, "41 days")
        assert process(order).status == 26
    return orders


class TestMissingList:
    def test_has_a_row_for_each_key_in_plain_words_with_how_many_wait(self):
        define_orders()
        for customer in (7, 7, "C-10040"):
            process(store([{"id": 1, "customer": customer}], entity="order"))
        give_up(7)
        page = text_of(client_of("support").get("/message-store/missing/"))
        assert rows_of(page) == [
            "C-10040 customer missing 1 waiting 0",
            "7 customer missing 2 waiting 1 gave up",
        ]
        assert "?status=2&amp;missing_entity=customer&amp;missing_key=C-10040" in page

    def test_leads_to_the_messages_of_one_key(self):
        define_orders()
        waiting, _, gave_up = (
            process(store([{"id": 1, "customer": customer}], entity="order")).pk for customer in (7, 8, "7")
        )
        client = client_of("support")
        address = "/message-store/messages/?status=2&missing_entity=customer&missing_key="
        found = [one.line.message_identifier for one, _ in client.get(f"{address}7").context["lines"]]
        assert sorted(found) == sorted([waiting, gave_up])
        found = [one.line.message_identifier for one, _ in client.get(f'{address}["7"]').context["lines"]]
        assert found == [gave_up]
        assert not client.get(f"{address}9").context["lines"]

    def test_shows_which_records_have_arrived_and_offers_to_reprocess_messages_that_gave_up(self):
        define(), define_orders()
        give_up(7, 7, 8)
        process(store([{"id": 7}]))
        client = client_of("operator")
        page = text_of(client.get("/message-store/missing/"))
        assert rows_of(page) == [
            "7 customer exists 0 2 gave up Reprocess 2 messages",
            "8 customer missing 0 1 gave up",
        ]
        [job] = re.findall(r'href="(/jobs/new/[^"]*)"', page)
        assert job == "/jobs/new/?kind=reprocess&amp;status=26&amp;missing_entity=customer&amp;missing_key=7"
        assert client.get(job.replace("&amp;", "&")).context["figures"].to_do.shown_rows == 2
        assert "/jobs/new/" not in text_of(
            client_of("support", username="eve").get("/message-store/missing/")
        )

    def test_is_limited_to_one_entity_on_request(self):
        define_orders()
        define("crm", "visit", json_schema={}, references={"shop": "shop"})
        process(store([{"id": 1, "customer": 7}], entity="order"))
        process(store([{"id": 1, "shop": 3}], entity="visit"))
        client = client_of("support")
        assert len(rows_of(text_of(client.get("/message-store/missing/")))) == 2
        assert rows_of(text_of(client.get("/message-store/missing/?entity=shop"))) == [
            "3 shop missing 1 waiting 0"
        ]
        assert "No missing records on this page" in text_of(client.get("/message-store/missing/?entity=x"))

    def test_has_pages(self):
        UnresolvedReference.objects.bulk_create(
            UnresolvedReference(message_identifier=f"{n}", entity=f"e{n % 2}", record_key=f"[{n}]")
            for n in range(120)
        )
        client, address, seen = client_of("support"), "", []
        for rows in (50, 50, 20):
            answer = client.get(f"/message-store/missing/{address}")
            assert len(answer.context["records"]) == rows
            seen += [(one.entity, one.record_key) for one in answer.context["records"]]
            address = answer.context["next"]
        assert address is None
        assert seen == sorted(seen)
        assert len(set(seen)) == 120
        of_one = client.get("/message-store/missing/?entity=e0")
        rest = client.get(f"/message-store/missing/{of_one.context['next']}")
        assert len(rest.context["records"]) == 10

    @pytest.mark.parametrize("query", ["entity=" + "e" * 256, "after=a&after=b", "page=2", "entity=%00"])
    def test_names_the_parameter_that_is_wrong(self, query):
        answer = client_of("support").get(f"/message-store/missing/?{query}")
        assert answer.status_code == 400
        assert query.partition("=")[0] in text_of(answer)

    def test_shows_when_nothing_is_missing(self):
        assert "No missing records" in text_of(client_of("support").get("/message-store/missing/"))
