"""Stored messages in the admin."""

import re
from datetime import UTC, datetime

import pytest

from messages_app.jobs.models import Job
from messages_app.message_store.models import (
    MessageHistory,
    MessageLine,
    MessageProcess,
    MessageStore,
    TargetRecord,
)
from messages_app.shared.store_states import NAMES, Status
from tests.support import stores
from tests.support.staff import HUB, lines_of_list, lines_of_page, listed_keys, related_lines, staff_client

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


def test_show_a_value_of_its_own_in_each_column(keys):
    done, failed = keys

    def at(hour: int) -> datetime:
        return datetime(2026, 11, 1, hour, tzinfo=UTC)

    MessageStore.objects.filter(pk=done).update(
        source_entity="order",
        effective_timestamp=at(1),
        user_name="grace",
        refresh=True,
        options="options-1",
        file_path="a/b.json",
        data="x" * 1_500,
    )
    MessageProcess.objects.filter(pk=done).update(
        status=26, processed_timestamp=at(2), next_attempt_timestamp=at(3), error_message="error 2"
    )
    MessageLine.objects.filter(message_identifier=done).update(
        message_timestamp=at(4), attempts=7, claimed_at=at(5), muted_at=at(6)
    )
    MessageStore.objects.filter(pk=done).update(message_timestamp=at(4))
    MessageHistory.objects.filter(message_identifier=done).delete()
    for identifier, hour, status in ((done, 7, 21), (failed, 8, 22), (done, 9, 23)):
        MessageHistory.objects.create(
            message_identifier=identifier,
            processed_timestamp=at(hour),
            status=status,
            error_message=f"error {hour}",
        )
    TargetRecord.objects.filter(source_message=done).update(
        valid_from=at(10), valid_to=at(11), entity="target"
    )
    client, page = staff_client("support"), f"{LIST}{done}/change/"
    common = {
        "Status": "26 " + NAMES[Status(26)],
        "Source system": "crm",
        "Source entity": "order",
        "Message timestamp": "2026-11-01 04:00:00 UTC",
        "Attempts": "7",
        "Next attempt timestamp": "2026-11-01 03:00:00 UTC",
    }
    assert lines_of_list(client, LIST)[-1] == common | {"Message identifier": f"[{done}]({page})"}
    assert lines_of_page(client, page) == common | {
        "Message identifier": done,
        "Effective timestamp": "2026-11-01 01:00:00 UTC",
        "User name": "grace",
        "Refresh": "True",
        "Options": "options-1",
        "Data": f"[1.5 kB](/message-store/messages/{done}/data/)",
        "File path": "a/b.json",
        "Processed timestamp": "2026-11-01 02:00:00 UTC",
        "Error message": "error 2",
        "Held since": "2026-11-01 05:00:00 UTC",
        "Muted since": "2026-11-01 06:00:00 UTC",
    }
    assert related_lines(client, page) == {
        "Attempts": [
            {
                "Processed timestamp": f"2026-11-01 0{hour}:00:00 UTC",
                "Status": status,
                "Error message": f"error {hour}",
            }
            for hour, status in ((9, "23"), (7, "21"))
        ],
        "Records": [
            {
                "Entity": "target",
                "Record key": "1",
                "Valid from": "2026-11-01 10:00:00 UTC",
                "Valid to": "2026-11-01 11:00:00 UTC",
            }
        ],
    }
