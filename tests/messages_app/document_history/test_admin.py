"""Documents in the admin."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.document_history.models import DocumentHistory
from tests.support.histories import entries_of, make_trigger, store_both, store_entry
from tests.support.staff import HUB, lines_of_list, lines_of_page, staff_client

pytestmark = pytest.mark.django_db
LIST = f"{HUB}historyline/"


def listed_uuids(client, query: str = "") -> list[str]:
    response = client.get(LIST + query)
    assert response.status_code == 200
    return [row.document_uuid for row in response.context["cl"].result_list]


def test_are_filtered_by_trigger_and_state_and_found_by_uuid():
    make_trigger()
    make_trigger("t-2")
    store_both(uuid="u-1", age="3 minutes")
    store_entry("processing", uuid="u-2", age="2 minutes")
    store_entry("completed", trigger_id="t-2", uuid="u-3", age="1 hour")
    client = staff_client("support")
    assert listed_uuids(client) == ["u-2", "u-1", "u-3"]
    assert listed_uuids(client, "?trigger_id=t-2") == ["u-3"]
    assert listed_uuids(client, "?state=processing") == ["u-2"]
    assert listed_uuids(client, "?state=completed") == ["u-3"]
    assert listed_uuids(client, "?time_from=-10m") == ["u-2", "u-1"]
    assert listed_uuids(client, "?q=u-1") == ["u-1"]
    assert listed_uuids(client, "?q=u-") == []


@pytest.mark.parametrize(
    ("trigger_id", "uuid"),
    [("t-1", "u-1"), ("a/b", "c/d"), ("50%", "a_b,c"), ("schöner Auslöser", "x y?z#&"), ("t%2F", "%00")],
)
def test_have_a_page_whatever_their_keys_are(trigger_id, uuid):
    store_both(trigger_id=trigger_id, uuid=uuid)
    client = staff_client("support")
    (row,) = client.get(LIST).context["cl"].result_list
    address = client.get(LIST).context["cl"].url_for_result(row)
    response = client.get(address)
    assert response.status_code == 200, address
    assert response.context["original"].document_uuid == uuid
    assert response.context["original"].trigger_id == trigger_id
    assert client.get(response.context["console_url"], follow=True).status_code == 200


def test_need_a_trigger_if_there_are_too_many():
    for number in range(61):
        make_trigger(f"t-{number}")
    store_both(trigger_id="t-7", uuid="u-1")
    client = staff_client("support")
    assert listed_uuids(client) == []
    assert "trigger_id is required" in client.get(LIST).content.decode()
    assert listed_uuids(client, "?trigger_id=t-7") == ["u-1"]


def test_show_a_value_of_its_own_in_each_column():
    make_trigger(history_ttl_seconds=3_600)
    store_both(uuid="u-1", age="2 hours")
    store_entry("processing", uuid="u-2", age="30 minutes")
    store_entry("completed", trigger_id="t-3", uuid="u-3", age="3 hours")
    DocumentHistory.objects.filter(document_uuid="u-3").update(time=datetime(2026, 11, 1, 5, tzinfo=UTC))
    began = {uuid: entries_of(uuid)["processing"] for uuid in ("u-1", "u-2")}

    def clock(moment: datetime) -> str:
        return f"{moment:%Y-%m-%d %H:%M:%S} UTC"

    client, hour = staff_client("support"), timedelta(hours=1)
    trigger = "[trigger t-1](/document-history/triggers/t-1/)"
    pages = {f"u-{number}": f"{LIST}t-{of}_2Fu-{number}/change/" for number, of in ((2, 1), (1, 1), (3, 3))}
    listed = {
        "u-2": {
            "State": "undetermined",
            "Time": clock(began["u-2"]),
            "Expires at": clock(began["u-2"] + hour),
        },
        "u-1": {"State": "processed", "Time": clock(began["u-1"]), "Expires at": clock(began["u-1"] + hour)},
        "u-3": {"State": "completed only", "Time": "2026-11-01 05:00:00 UTC", "Expires at": "–"},
    }
    names = {"u-1": trigger, "u-2": trigger, "u-3": "t-3"}
    assert lines_of_list(client, LIST) == [
        listed[uuid] | {"Document uuid": f"[{uuid}]({pages[uuid]})", "Trigger": names[uuid]} for uuid in pages
    ]
    flags = {"u-2": "True False False False", "u-1": "True True True False", "u-3": "False True False True"}
    heads = ("Has processing", "Has completed", "Is expired", "Is orphaned")
    for uuid, page in pages.items():
        assert lines_of_page(client, page) == listed[uuid] | {
            "Document uuid": uuid,
            "Trigger": names[uuid],
            "Trigger id": "t-3" if uuid == "u-3" else "t-1",
            **dict(zip(heads, flags[uuid].split(), strict=True)),
        }
