"""The pages and calls of a console that is attached to a hub, whose times have no zone."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client

from tests.attached.test_addresses import filled_hub
from tests.hostile.addresses import add_own_keys, unexpected_answers
from tests.hostile.world import Keys, new_keys, store_hub_rows
from tests.support.factories import make_user
from tests.support.page_client import show_values
from tests.support.parameters import quick_first


def _children(schema: str) -> tuple[str, ...]:
    """Return the tables of the hub with rows of messages: OpenHub has no table of funnel values."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema])
        tables = {name for (name,) in cursor}
    return tuple(name for name in ("request", "response", "external_call", "funnel") if name in tables)


@pytest.fixture(scope="module", params=quick_first(["OpenHub 2.3", "CleverBus 2.0 with archive 0.6"]))
def keys(request, django_db_setup, django_db_blocker) -> Iterator[Keys]:
    with django_db_blocker.unblock(), filled_hub(request.param) as hub:
        keys = new_keys()
        store_hub_rows(keys, schema=hub.place, children=_children(hub.place))
        yield keys


@pytest.mark.parametrize("share", quick_first([5, 1]))
def test_every_page_and_call_answers_next_to_hostile_rows(keys, settings, share):
    settings.PAGES_PER_MINUTE = settings.API_REQUESTS_PER_MINUTE = 10**6
    client = Client(raise_request_exception=False)
    client.force_login(make_user("view_payload", username=f"root {share}", is_staff=True, is_superuser=True))
    show_values(client)
    add_own_keys(keys)
    assert len(keys["msg_id"]) > 20
    routes = ("messages/", "api/v1/messages/", "api/v1/requests/", "funnels/", "failures/", "handover/")
    wrong = unexpected_answers(client, keys, only=routes, share=share)
    assert not wrong, "\n".join(wrong)
