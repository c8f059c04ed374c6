"""The CP queue in tests: messages inserted directly, as by a vendor's server."""

import hashlib
from datetime import datetime

from django.db import connection

from messages_app.audit.services import Actor
from messages_app.cp_queue.models import CpDeferred, CpMessage

ADA = Actor(username="ada")


def guid_of(name: str) -> str:
    """Return the GUID that a test calls `name`."""
    return hashlib.sha256(name.encode()).hexdigest()[:32].upper()


def store(
    name: str,
    queue: str = "RENDITION",
    osid: int = 5,
    *,
    ostype: int = 65_536,
    age: str = "0",
    lock: str | None = None,
    guid: str | None = None,
) -> str:
    """Store a message that was created the given time ago; return its GUID."""
    guid = guid or guid_of(name)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created, lock_service, checkguid)"
            " VALUES (%s, %s, %s, %s, now() - %s::interval, %s, %s)",
            [guid, queue, osid, ostype, age, lock, lock and guid_of(lock)],
        )
    return guid


def store_many(
    count: int, queue: str = "RENDITION", *, objects: int | None = None, age: str = "1 day"
) -> None:
    """Store free messages a second apart, up to the given time ago, for the given objects or one each."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created)"
            " SELECT upper(md5(%(queue)s || n)), %(queue)s, n %% %(objects)s, 65536,"
            "        now() - %(age)s::interval - n * interval '1 second'"
            "   FROM generate_series(1, %(count)s) AS n",
            {"queue": queue, "objects": objects or count + 1, "age": age, "count": count},
        )


def remaining_messages() -> dict[str, str | None]:
    """Return the services of the messages that are left, by GUID."""
    return dict(CpMessage.objects.values_list("messageguid", "lock_service"))


def names_left(*names: str) -> set[str]:
    """Return which of these messages are left."""
    guids = remaining_messages()
    return {name for name in names if guid_of(name) in guids}


def make_due(guid: str) -> None:
    """Let a deferred message be due now."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE cp_deferred SET not_before = now() WHERE messageguid = %s", [guid])


def not_before(guid: str) -> datetime | None:
    return CpDeferred.objects.get(pk=guid).not_before
