"""CP messages in the admin."""

import re
from datetime import UTC, datetime

import pytest

from messages_app.cp_queue.models import CpDeferred, CpDispatch, CpMessage, CpReservation, CpRetry
from tests.support.queues import guid_of, store
from tests.support.staff import HUB, lines_of_list, lines_of_page, listed_keys, related_lines, staff_client

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


def test_show_the_attempts_of_a_deferred_message_and_when_it_is_due():
    guid, due = guid_of("late"), datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
    columns = {"messageguid": guid, "queuename": "RENDITION", "osid": 5, "ostype": 65_536}
    CpDeferred.objects.create(**columns, created=datetime(2026, 11, 1, tzinfo=UTC), not_before=due)
    CpRetry.objects.create(messageguid=guid, attempts=3)
    page = staff_client("support").get(f"{LIST}{guid}/change/").content.decode()
    shown = {}
    for name in ("attempts", "not_before", "reserved_at"):
        [cell] = re.findall(rf'field-{name}.*?<div class="readonly">(.*?)</div>', page, re.DOTALL)
        shown[name] = cell
    assert shown["attempts"] == "3"
    assert 'datetime="2031-05-06T07:08:09' in shown["not_before"]
    assert "datetime" not in shown["reserved_at"]


def test_show_a_value_of_its_own_in_each_column():
    made, reserved = datetime(2026, 11, 1, 1, tzinfo=UTC), datetime(2026, 11, 1, 2, tzinfo=UTC)
    held = store("two", "FULLTEXT", 6, ostype=7, lock="W1")
    CpMessage.objects.filter(pk=held).update(created=made)
    CpRetry.objects.create(messageguid=held, attempts=3)
    CpReservation.objects.filter(messageguid=held).delete()
    CpReservation.objects.create(
        messageguid=held, checkguid=guid_of("W1"), reserved_at=reserved, is_fenced=False, collapsed=0
    )
    for guid, number in ((held, 4), (guid_of("another"), 5), (held, 6)):
        CpDispatch.objects.create(
            messageguid=guid,
            at=made.replace(hour=number),
            queuename="FULLTEXT",
            osid=6,
            ostype=7,
            created=made,
            service=f"S{number}",
            outcome="deferred",
            reason=f"reason {number}",
            collapsed=0,
            attempts=number,
        )
    client, page = staff_client("support"), f"{LIST}{held}/change/"
    listed = {
        "State": "reserved",
        "Queuename": "FULLTEXT",
        "Osid": "6",
        "Ostype": "7",
        "Created": "2026-11-01 01:00:00 UTC",
        "Lock service": "W1",
    }
    assert lines_of_list(client, LIST) == [listed | {"Messageguid": f"[{held}]({page})"}]
    assert lines_of_page(client, page) == listed | {
        "Messageguid": held,
        "Checkguid": guid_of("W1"),
        "Reserved at": "2026-11-01 02:00:00 UTC",
        "Attempts": "3",
        "Not before": "–",
    }
    assert related_lines(client, page) == {
        "Dispatches": [
            {
                "Dispatched": f"2026-11-01 0{number}:00:00 UTC",
                "Service": f"S{number}",
                "Outcome": "deferred",
                "Reason": f"reason {number}",
            }
            for number in (6, 4)
        ]
    }
