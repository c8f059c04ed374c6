"""A value means the same on an attached hub, whose tables are views without the console's indexes."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.test import Client

from tests.support.attached import AttachedHub, attached_hub
from tests.support.counted_links import ids_at, leads_to, links_of
from tests.support.factories import make_user

NAMES = ("pad", "pad   ", " pad", "pad\t", "pad\u2029", "   ", "a,b")


@pytest.fixture(scope="module")
def hub(django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub("OpenHub 2.3") as hub:
        yield hub


@pytest.fixture(scope="module")
def client(hub: AttachedHub) -> Client:
    client = Client()
    client.force_login(make_user(username="admin", is_superuser=True))
    return client


def rename(hub: AttachedHub, name: str) -> int:
    """Give one message of the hub a name in all columns that its page links, and return its id."""
    ((msg_id,),) = hub.run("SELECT min(msg_id) FROM {hub}.message")
    hub.run(
        "UPDATE {hub}.message SET service = %s, operation_name = %s, source_system = %s, object_id = %s"
        f" WHERE msg_id = {msg_id}",
        name,
        name,
        name,
        name,
    )
    return msg_id


class TestMessage:
    @pytest.mark.parametrize("name", NAMES)
    def test_links_each_of_its_values_only_to_itself(self, hub: AttachedHub, client: Client, name: str):
        msg_id = rename(hub, name)
        links = [link for link in links_of(client, f"/messages/{msg_id}/") if leads_to(link, "/messages/")]
        of_name = [link for link in links if urlencode({"x": name})[2:] in link.address.replace("%20", "+")]
        assert len(of_name) >= 4
        for link in of_name:
            assert ids_at(client, link.address) == [msg_id], link
        others = [other for other in NAMES if other != name]
        assert all(not ids_at(client, f"/messages/?{urlencode({'service_name': one})}") for one in others)
