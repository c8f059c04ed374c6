"""Keys of messages that the console cannot see stay: it is detached, or lacks a table or a right."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command

from messages_app.business_keys.models import BusinessKey
from messages_app.business_keys.passes import extract_new_keys
from messages_app.business_keys.retention import forget_lost_keys
from messages_app.messages.attachment import forget_attachment
from tests.support.attached import ZONE, AttachedHub, attached_hub, detach, hub_read_by_guest
from tests.support.factories import NOON

LIVE, ARCHIVED, LOST = 1, 801, 899
ALL = {"live", "archived", "lost"}


def give_keys(hub: AttachedHub) -> None:
    """Store keys of a live, an archived and a deleted message, after the pass has read the hub."""
    extract_new_keys()
    extract_new_keys()
    ((place,),) = hub.run("SELECT table_behind('archive_message')::text")
    ((columns,),) = hub.run(
        "SELECT string_agg(attname, ', ') FROM pg_attribute"
        " WHERE attrelid = table_behind('archive_message') AND attnum > 0 AND attname <> 'msg_id'"
    )
    hub.run(
        f"INSERT INTO {place} (msg_id, {columns})"
        f" SELECT {ARCHIVED}, {columns} FROM {{hub}}.message WHERE msg_id = {LIVE}"
    )
    for msg_id, value in ((LIVE, "live"), (ARCHIVED, "archived"), (LOST, "lost")):
        give_key(msg_id, value)


def give_key(msg_id: int, value: str) -> None:
    BusinessKey.objects.create(definition_id=1, value=value, msg_id=msg_id, receive_timestamp=NOON)


def attach(hub: AttachedHub) -> None:
    call_command("attach", hub.place, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())


def values() -> set[str]:
    return set(BusinessKey.objects.values_list("value", flat=True))


@pytest.fixture
def hub(django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub("OpenHub 2.3") as hub:
        give_keys(hub)
        yield hub


class TestForgetLostKeys:
    def test_keeps_all_values_after_detach_and_deletes_those_of_lost_messages_after_attach(self, hub):
        detach("--keep-data")
        assert forget_lost_keys() == 0
        assert values() == ALL
        attach(hub)
        assert forget_lost_keys() == 1
        assert values() == {"live", "archived"}

    def test_keeps_all_values_while_suspended(self, hub):
        call_command("attach", "--suspend", stdout=StringIO())
        assert forget_lost_keys() == 0
        assert values() == ALL
        call_command("attach", "--resume", stdout=StringIO())
        assert forget_lost_keys() == 1

    def test_keeps_all_values_while_the_archive_of_the_hub_is_not_attached(self, hub):
        detach("--keep-data")
        hub.run("ALTER TABLE {hub}.archive_message RENAME TO put_away")
        attach(hub)
        extract_new_keys()
        assert hub.run("SELECT count(*) FROM archive_message") == [(0,)]
        assert forget_lost_keys() == 0
        assert values() == ALL
        hub.run("ALTER TABLE {hub}.put_away RENAME TO archive_message")
        attach(hub)
        assert forget_lost_keys() == 1
        assert values() == {"live", "archived"}


def test_keeps_all_values_without_the_right_to_read_a_table(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), hub_read_by_guest("OpenHub 2.3") as hub:
        give_keys(hub)
        hub.run("REVOKE SELECT ON {hub}.archive_message FROM guest")
        forget_attachment()
        assert forget_lost_keys() == 0
        assert values() == ALL
        hub.run("GRANT SELECT ON {hub}.archive_message TO guest")
        forget_attachment()
        assert forget_lost_keys() == 1


def test_keeps_all_values_while_only_the_live_tables_are_found(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), attached_hub("CleverBus 2.0 with archive 0.5") as hub:
        give_keys(hub)
        call_command("attach", "--suspend", stdout=StringIO())
        assert hub.run("SELECT to_regclass('message'), to_regclass('archive_message')") == [("message", None)]
        assert forget_lost_keys() == 0
        assert values() == ALL


class TestForgetLostKeysWithoutArchiveTables:
    @pytest.fixture
    def hub(self, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
        layout = "CleverBus 2.0 without archive"
        with django_db_blocker.unblock(), attached_hub(layout) as hub:
            extract_new_keys()
            extract_new_keys()
            for msg_id, value in ((LIVE, "live"), (LOST, "lost")):
                give_key(msg_id, value)
            yield hub

    def test_deletes_values_of_messages_that_the_hub_has_deleted(self, hub):
        assert hub.run("SELECT hub_schema, archive_schema FROM business_key_pass") == [(hub.place, "")]
        assert forget_lost_keys() == 1
        assert values() == {"live"}

    def test_keeps_all_values_while_suspended(self, hub):
        call_command("attach", "--suspend", stdout=StringIO())
        hub.run("SET search_path = hubconsole")
        assert forget_lost_keys() == 0
        assert values() == {"live", "lost"}

    def test_keeps_all_values_while_the_tables_of_another_hub_are_found(self, hub):
        detach("--keep-data")
        hub.run("ALTER SCHEMA {hub} RENAME TO another")
        hub.run("CREATE SCHEMA {hub}; CREATE VIEW {hub}.message AS SELECT 7 AS msg_id")
        hub.run("SET search_path = hubconsole, {hub}")
        assert forget_lost_keys() == 0
        assert values() == {"live", "lost"}
