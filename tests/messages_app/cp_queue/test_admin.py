"""CP messages in the admin."""

import pytest

from tests.support.queues import guid_of, store
from tests.support.staff import HUB, listed_keys, staff_client

pytestmark = pytest.mark.django_db
LIST = f"{HUB}cpmessage/"


def test_are_filtered_by_queue_and_state_and_found_by_guid_or_object():
    free = store("one", "RENDITION", 5)
    held = store("two", "FULLTEXT", 6, lock="W1", age="1 hour")
    client = staff_client("support")
    assert listed_keys(client, LIST) == [free, held]
    assert listed_keys(client, f"{LIST}?queuename=FULLTEXT") == [held]
    assert listed_keys(client, f"{LIST}?state=free") == [free]
    assert listed_keys(client, f"{LIST}?state=reserved") == [held]
    assert listed_keys(client, f"{LIST}?lock_service=W1") == [held]
    assert listed_keys(client, f"{LIST}?created_from=-10m") == [free]
    assert listed_keys(client, f"{LIST}?q={free}") == [free]
    assert listed_keys(client, f"{LIST}?q={free.lower()}") == [free]
    assert listed_keys(client, f"{LIST}?q=6") == [held]
    for text in (free[:-1], "RENDITION", "9" * 12, "ü" * 32):
        assert listed_keys(client, f"{LIST}?q={text}") == []


def test_show_their_columns_and_link_to_the_console():
    held = store("two", "FULLTEXT", 6, lock="W1")
    page = staff_client("support").get(f"{LIST}{held}/change/").content.decode()
    for text in (held, "FULLTEXT", "W1", guid_of("W1"), "reserved"):
        assert text in page
    assert f'href="/cp-queue/messages/{held}/"' in page
