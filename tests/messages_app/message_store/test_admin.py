"""Stored messages in the admin."""

import re

import pytest

from messages_app.jobs.models import Job
from messages_app.message_store.models import MessageProcess, MessageStore
from tests.support import stores
from tests.support.staff import HUB, listed_keys, staff_client

pytestmark = pytest.mark.django_db
LIST = f"{HUB}messagestore/"


@pytest.fixture
def keys() -> list[str]:
    """Store a processed message and one with an invalid record, and return their identifiers."""
    stores.define()
    done, failed = stores.store([{"id": 1}]), stores.store([{"name": "Ada"}])
    for key in (done, failed):
        stores.process(key)
    return [done, failed]


def test_are_filtered_by_status_and_found_by_their_identifier(keys):
    done, failed = keys
    client = staff_client("support")
    assert sorted(listed_keys(client, LIST)) == sorted(keys)
    assert listed_keys(client, f"{LIST}?status=10") == [done]
    assert listed_keys(client, f"{LIST}?source_entity=customer&status=25") == [failed]
    assert listed_keys(client, f"{LIST}?source_system=crm&message_timestamp_from=-1h&status=10") == [done]
    assert listed_keys(client, f"{LIST}?q={failed}") == [failed]
    assert listed_keys(client, f"{LIST}?q={failed.upper()}") == [failed]
    assert listed_keys(client, f"{LIST}?q={failed[:-1]}") == []


def test_show_their_columns_attempts_and_records_but_not_their_data(keys):
    done, failed = keys
    client = staff_client("support")
    page = client.get(f"{LIST}{done}/change/").content.decode()
    for text in (done, "10 processed", "crm", "customer", f"/message-store/messages/{done}/data/"):
        assert text in page
    assert f'href="/message-store/messages/{done}/"' in page
    assert "Records" in page
    failed_page = client.get(f"{LIST}{failed}/change/").content.decode()
    assert "25 data invalid" in failed_page
    assert "Ada" not in failed_page


def test_show_orphans(keys):
    done, _ = keys
    MessageStore.objects.filter(pk=done).delete()
    client = staff_client("support")
    assert done in listed_keys(client, LIST)
    assert client.get(f"{LIST}{done}/change/").status_code == 200


def test_lead_to_the_preview_of_a_reprocess_job(keys):
    client = staff_client("operator")
    form = {"action": "reprocess", "index": "0", "_selected_action": keys}
    url = client.post(LIST, form).url
    assert url == f"/jobs/new/?kind=reprocess&message_identifier={','.join(keys)}"
    page = client.get(url)
    assert page.status_code == 200
    assert all(key in page.content.decode() for key in keys)
    whole = client.post(f"{LIST}?status=25", form | {"select_across": "1"}).url
    assert whole == "/jobs/new/?kind=reprocess&status=25"
    assert not Job.objects.exists()
    assert set(MessageProcess.objects.values_list("status", flat=True)) == {10, 25}


def test_offer_the_action_only_to_those_who_may_reprocess(keys):
    client = staff_client("support")
    assert not re.findall(r'<option value="(\w+)"', client.get(LIST).content.decode())
    form = {"action": "reprocess", "index": "0", "_selected_action": keys}
    assert client.post(LIST, form).status_code in {200, 302}
    assert "/jobs/" not in client.post(LIST, form).headers.get("Location", "")
