"""No row that others write makes a page or a call fail, and no row hides the others."""

import pytest
from django.db import connection
from django.test import Client

from messages_app.jobs.models import JobSchedule
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics.passes import fold_changes
from tests.hostile.addresses import add_own_keys, unexpected_answers
from tests.hostile.world import (
    Keys,
    new_keys,
    store_cp_messages,
    store_documents,
    store_hub_rows,
    store_store_messages,
)
from tests.openapi.world import make_world
from tests.support.api_client import caller
from tests.support.factories import make_user
from tests.support.page_client import show_values
from tests.support.parameters import quick_first


@pytest.fixture
def admin(db, settings) -> Client:
    settings.PAGES_PER_MINUTE = settings.API_REQUESTS_PER_MINUTE = 10**6
    client = Client(raise_request_exception=False)
    client.force_login(make_user("view_payload", username="root", is_staff=True, is_superuser=True))
    show_values(client)
    return client


def store_everything(*, is_deep: bool = False) -> Keys:
    """Fill the tables of the console's own hub with ordinary rows and hostile ones."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema()")
        schema = cursor.fetchone()[0]
    make_world()
    keys = new_keys()
    for prefix in ("", "archive_"):
        store_hub_rows(keys, schema=schema, prefix=prefix, is_deep=is_deep)
    store_cp_messages(keys, schema=schema)
    store_store_messages(keys, schema=schema)
    assert store_documents(schema=schema) > 30
    JobSchedule.objects.create(kind="archive", options={"older_than_months": 2}, cron="0 2 * * *", zone="UTC")
    caller("support")  # It has a token.
    fold_changes()
    group_new_failures()
    add_own_keys(keys)
    return keys


@pytest.mark.parametrize("share", quick_first([10, 1]))
def test_every_page_and_call_answers_next_to_hostile_rows(admin, share):
    keys = store_everything()
    assert min(len(keys[name]) for name in ("msg_id", "req_id", "res_id", "guid", "identifier")) > 30
    assert not (wrong := unexpected_answers(admin, keys, share=share)), "\n".join(wrong)
