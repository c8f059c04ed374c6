import pytest

from messages_app.message_store.views.lists import look_up
from tests.support.page_client import client_of, text_of
from tests.support.stores import define, define_orders, execute, process, set_process, store

pytestmark = pytest.mark.django_db
LIST = "/message-store/messages/"


class TestMessageList:
    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ("", {"done", "waits", "failed"}),
            ("?status=10", {"done"}),
            ("?status=20,21,22,23,24,25,26", {"failed"}),
            ("?source_entity=order", {"waits"}),
            ("?source_system=nobody", set()),
            ("?missing_entity=customer", {"waits"}),
            ("?error_contains=timeout", {"failed"}),
            ("?user_name=eve", {"failed"}),
            ("?refresh=true", {"failed"}),
            ("?message_timestamp_to=-1h", set()),
            ("?next_attempt_timestamp_from=-1m", {"waits"}),
            ("?effective_timestamp_to=2020-01-02T00:00:00Z", {"failed"}),
            ("?processed_timestamp_from=-1m", {"done", "waits"}),
        ],
    )
    def test_is_narrowed(self, query, shown):
        define()
        define_orders()
        keys = {
            "done": store([{"id": 1}]),
            "waits": store([{"id": 1, "customer": 9}], entity="order"),
            "failed": store(user="eve", refresh=True, system="erp", timestamp="2020-01-01T00:00:00Z"),
        }
        process(keys["done"])
        process(keys["waits"])
        set_process(keys["failed"], status=20, error_message="Timeout after 3 s")
        page = text_of(client_of("support").get(LIST + query))
        assert {name for name, key in keys.items() if f">{key}</a>" in page} == shown

    def test_names_what_is_wrong_with_a_filter(self):
        answer = client_of("support").get(f"{LIST}?status=broken")
        assert answer.status_code == 400
        assert "ust be a status such as 10" in text_of(answer)

    def test_shows_orphans_and_their_missing_parts(self):
        key = store()
        execute("DELETE FROM message_store")
        page = text_of(client_of("support").get(f"{LIST}?orphaned=true"))
        assert key in page
        assert "no message in the store" in page

    def test_leads_from_page_to_page(self):
        keys = {store([{"id": number}]) for number in range(3)}
        client = client_of("support")
        seen = set()
        address = f"{LIST}?page_size=1"
        for _ in range(3):
            answer = client.get(address)
            seen |= {line.line.message_identifier for line, _ in answer.context["lines"]}
            address = LIST + (answer.context["older"] or "")
        assert seen == keys


class TestLookUp:
    def test_yields_the_message_with_its_names_and_status(self):
        failed, nameless = store(entity="order"), store(system=None, entity=None)
        set_process(failed, status=25)
        execute(
            "INSERT INTO message_history (message_identifier, processed_timestamp, status)"
            " VALUES ('123e4567-e89b-12d3-a456-426614174000', now(), 10)"
        )
        for key, about in (
            (failed, "order of crm · 25 data invalid"),
            (nameless, "message of no system · 0 not processed"),
            ("123e4567-e89b-12d3-a456-426614174000", "message of no system · history only"),
        ):
            (kind,) = look_up(key.upper())
            assert [(hit.url, hit.name, hit.about) for hit in kind.hits] == [(f"{LIST}{key}/", key, about)]
        assert list(look_up("123e4567-e89b-12d3-a456-426614174001")) == list(look_up("777")) == []
