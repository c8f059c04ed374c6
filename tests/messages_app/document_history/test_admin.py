"""Documents in the admin."""

import pytest

from tests.support.histories import make_trigger, store_both, store_entry
from tests.support.staff import HUB, staff_client

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
