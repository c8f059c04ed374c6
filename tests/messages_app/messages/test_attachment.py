"""On a hub without the console's indexes, slow parts are left out, with a sentence about these indexes."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import OperationalError, connection
from django.http import QueryDict
from django.test import Client

from messages_app.core.error_handlers import problem_of
from messages_app.jobs.connections import own_dsn
from messages_app.messages.attachment import current_attachment, has_index_of_changes, missing_indexes
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.branches import split_into_parts
from messages_app.messages.selectors import ORDERS
from tests.support.attached import AttachedHub, attached_hub, locked
from tests.support.factories import make_user
from tests.support.page_client import text_of
from tests.support.parameters import quick_first

WORDS = "The tables of the hub lack the console&#x27;s indexes: start with a message id"
INDEXES = "--create-indexes"


@pytest.fixture(autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


def slow_query() -> OperationalError:
    with pytest.raises(OperationalError) as caught, connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '20ms'; SELECT pg_sleep(5)")
    with connection.cursor() as cursor:
        cursor.execute("RESET statement_timeout")
    return caught.value


def test_a_hub_without_indexes_is_named_with_what_to_do():
    with attached_hub("CleverBus 1.1"):
        detail = problem_of(slow_query()).detail
    assert detail.startswith(
        "This takes too long. Narrow the filter or the time range. The tables of the hub lack the console's"
        " indexes: start with a message id, a correlation id or a state, or ask the owner"
    )
    assert "`attach --create-indexes`" in detail


def test_a_hub_with_indexes_is_not_named():
    with attached_hub("OpenHub 2.3", INDEXES):
        assert problem_of(slow_query()).detail == "This takes too long. Narrow the filter or the time range."


@pytest.mark.slow
def test_an_incomplete_index_does_not_count():
    with attached_hub("CleverBus 1.1", INDEXES) as hub:
        hub.run("UPDATE pg_index SET indisvalid = false WHERE indexrelid::regclass::text LIKE '%%hubc_%%'")
        assert missing_indexes().startswith("The tables of the hub lack")


def test_a_console_with_its_own_tables_is_not_named():
    assert missing_indexes() == ""


def test_a_session_that_has_ended_is_not_asked():
    with attached_hub("CleverBus 1.1"):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (pid,) = cursor.fetchone()
        with psycopg.connect(own_dsn(), autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [pid])
        assert missing_indexes() == ""
        connection.close()


@pytest.fixture
def hub() -> Iterator[AttachedHub]:
    with attached_hub("CleverBus 1.1") as attached:
        yield attached


@pytest.fixture
def client(hub: AttachedHub) -> Client:
    client = Client()
    client.force_login(make_user(is_superuser=True))
    return client


class TestWithoutIndexes:
    @pytest.mark.parametrize("options", quick_first([(), (INDEXES,)]))
    def test_a_list_reads_no_index_that_is_missing(self, options: tuple[str, ...]):
        with attached_hub("CleverBus 1.1", *options):
            (part,) = split_into_parts(
                message_filter.parse_message_filter(QueryDict("service_name=CUSTOMER"), user=None)
            )
            assert part.constant_of(ORDERS[0]) == (("service_name", "CUSTOMER") if options else None)
            wanted = message_filter.parse_message_filter(
                QueryDict("receive_timestamp_from=2024-07-01T00:00Z"), user=None
            )
            assert message_filter.natural_order(wanted) == ("-receive_timestamp" if options else "-msg_id")

    def test_the_page_of_a_message_opens_without_its_family(self, client: Client):
        with locked("archive_message"):
            page = text_of(client.get("/messages/7/"))
        assert f"The family was not read. {WORDS}" in page
        assert "No children" not in page
        assert "The family was not read" not in text_of(client.get("/messages/7/"))


INDEX_OF_CHANGES = "CREATE INDEX hubc_of_changes ON {hub}.message (%s)"
# As views compute a time of the hub: infinite on the first and the last day of PostgreSQL's calendar.
INSTANT = (
    "(CASE WHEN {time} < '4714-11-25 00:00:00 BC'::timestamp THEN '-infinity'::timestamptz"
    " WHEN {time} >= '294276-12-31 00:00:00'::timestamp THEN 'infinity'::timestamptz"
    " ELSE timezone('{zone}', {time}) END)"
)
CHANGED = INSTANT.format(zone="Europe/Prague", time="last_update_timestamp")


@pytest.mark.parametrize(
    ("keys", "is_read"),
    [
        (f"{CHANGED}, msg_id", True),
        (CHANGED, True),
        (f"msg_id, {CHANGED}", False),
        ("last_update_timestamp, msg_id", False),
        (f"{INSTANT.format(zone='Europe/Prague', time='receive_timestamp')}, msg_id", False),
        (f"{INSTANT.format(zone='Europe/London', time='last_update_timestamp')}, msg_id", False),
        ("timezone('Europe/Prague', last_update_timestamp), msg_id", False),
        (f"{CHANGED}) WHERE (state <> 'OK'", False),
    ],
)
def test_only_an_index_with_the_time_of_the_last_change_first_is_read(
    hub: AttachedHub, keys: str, is_read: bool
):
    attached = current_attachment()
    assert not has_index_of_changes(attached)
    hub.run(INDEX_OF_CHANGES.replace("%s", keys))
    assert has_index_of_changes(attached) == is_read


def test_an_incomplete_index_of_changes_is_not_read(hub: AttachedHub):
    hub.run(INDEX_OF_CHANGES.replace("%s", CHANGED))
    hub.run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{hub}.hubc_of_changes'::regclass")
    assert not has_index_of_changes(current_attachment())


def test_an_index_of_another_table_is_not_read(hub: AttachedHub):
    hub.run("CREATE TABLE {hub}.copied (last_update_timestamp timestamp)")
    hub.run(f"CREATE INDEX ON {{hub}}.copied ({CHANGED})")
    assert not has_index_of_changes(current_attachment())
