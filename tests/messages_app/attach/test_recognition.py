"""Every release of a hub is recognized from the catalog; other tables are refused with a reason."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.attach.recognition import Archive, Hub, NoHub, Reason, find_hubs, recognize_hub
from tests.support.databases import another_database
from tests.support.hubs import LAYOUTS, hub_database

CLEVERBUS_1 = "CleverBus 0.4-1.x or OpenHub 1.0"
WITHOUT_FUNNEL = ("archive_funnel",)
WITHOUT_NODES = ("archive_message.node_id", "archive_message.start_in_queue_timestamp")

# For each layout: schema, family, rules, and its archives by schema, script and what they lack.
EXPECTED = {
    "CleverBus 1.1": ("public", CLEVERBUS_1, "cleverbus", [("public", "0.4", ())]),
    "CleverBus 1.1 without archive": ("public", CLEVERBUS_1, "cleverbus", []),
    "CleverBus 2.0": ("public", "CleverBus 2.x", "cleverbus", [("public", "0.4", WITHOUT_FUNNEL)]),
    "CleverBus 2.0 with archive 0.5": (
        "public",
        "CleverBus 2.x",
        "cleverbus",
        [("arch", "0.5", WITHOUT_FUNNEL)],
    ),
    "CleverBus 2.0 with archive 0.6": (
        "public",
        "CleverBus 2.x",
        "cleverbus",
        [("cleverbus_archive", "0.6", WITHOUT_FUNNEL)],
    ),
    "CleverBus 2.0 without archive": ("public", "CleverBus 2.x", "cleverbus", []),
    "OpenHub 1.0": ("public", CLEVERBUS_1, "cleverbus", [("public", "0.4", ())]),
    "OpenHub 2.3": ("openhub", "OpenHub 2.x", "openhub", [("openhub", "0.4", WITHOUT_NODES)]),
}

# Changes of a CleverBus 2.0 after which it must be refused, and the reason.
REFUSED = {
    "DROP TABLE message CASCADE": (Reason.EMPTY, "it has no table message of a hub"),
    "ALTER TABLE message DROP msg_id CASCADE": (Reason.EMPTY, "it has no table message of a hub"),
    "ALTER TABLE message DROP guaranteed_order, DROP exclude_failed_state, DROP funnel_component_id,"
    " DROP parent_binding_type": (
        Reason.TOO_OLD,
        "its tables are older than CleverBus 0.4: message lacks guaranteed_order",
    ),
    "ALTER TABLE message DROP service": (
        Reason.UNKNOWN,
        "its tables are of no known release: message.service is missing",
    ),
    "DROP TABLE response": (Reason.UNKNOWN, "its tables are of no known release: response is missing"),
    "ALTER TABLE request RENAME uri TO url": (
        Reason.UNKNOWN,
        "its tables are of no known release: request.uri is missing",
    ),
    "ALTER TABLE message ALTER receive_timestamp TYPE timestamptz": (
        Reason.UNKNOWN,
        "its tables are of no known release:"
        " message.receive_timestamp is timestamptz instead of a timestamp without time zone",
    ),
    "ALTER TABLE message DROP CONSTRAINT message_pkey CASCADE": (
        Reason.UNKNOWN,
        "its tables are of no known release: message has no primary key msg_id",
    ),
    "ALTER TABLE funnel RENAME TO kept; CREATE VIEW funnel AS SELECT * FROM kept": (
        Reason.UNKNOWN,
        "its tables are of no known release: funnel is not an ordinary table",
    ),
    "ALTER TABLE message ADD node_id bigint": (
        Reason.UNKNOWN,
        "it has both funnel, as CleverBus 2, and message.node_id, as OpenHub 2",
    ),
    "DROP TABLE external_call; ALTER TABLE message DROP service, DROP state, DROP payload": (
        Reason.UNKNOWN,
        "its tables are of no known release: message.service is missing, message.state is missing,"
        " message.payload is missing and 1 more differences",
    ),
}


@pytest.fixture
def cleverbus(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock(), hub_database("CleverBus 2.0", filled=False):
        yield


def run(statements: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statements)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_recognizes_every_release(layout: str, django_db_setup, django_db_blocker):
    schema, family, rules, archives = EXPECTED[layout]
    with django_db_blocker.unblock(), hub_database(layout, filled=False):
        hub = recognize_hub(schema)
        assert find_hubs() == [hub]
    assert isinstance(hub, Hub)
    assert (hub.schema, hub.family.label, hub.family.rules) == (schema, family, rules)
    assert hub.archives == tuple(
        Archive(schema=place, script=script, missing=missing) for place, script, missing in archives
    )
    assert (hub.missing, hub.extra) == ((), ())


def test_reads_only_the_catalog(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), hub_database("OpenHub 2.3"):
        run("SET ROLE pg_signal_backend")  # It has no privilege on the schema.
        assert recognize_hub("openhub").schema == "openhub"
        assert isinstance(recognize_hub("openhub"), Hub)


@pytest.mark.usefixtures("cleverbus")
class TestOfCleverBus2:
    @pytest.mark.parametrize("change", REFUSED)
    def test_refuses_other_tables(self, change: str):
        run(change)
        found = recognize_hub("public")
        assert isinstance(found, NoHub)
        assert (found.reason, found.text) == REFUSED[change]

    def test_refuses_a_schema_that_is_missing_or_has_no_tables(self):
        run("CREATE SCHEMA other")
        assert recognize_hub("others") == NoHub(
            schema="others", reason=Reason.NO_SCHEMA, text="there is no schema others"
        )
        assert recognize_hub("other") == NoHub(
            schema="other", reason=Reason.EMPTY, text="it has no table message of a hub"
        )

    def test_allows_other_lengths_and_names_further_columns(self):
        run("ALTER TABLE message ALTER state TYPE varchar(25), ALTER payload TYPE varchar, ADD tenant text")
        run("ALTER TABLE funnel ADD weight integer")
        found = recognize_hub("public")
        assert isinstance(found, Hub)
        assert found.extra == ("message.tenant", "funnel.weight")

    def test_names_a_missing_sequence(self):
        run("DROP SEQUENCE hibernate_sequence")
        assert recognize_hub("public").missing == ("hibernate_sequence",)

    def test_finds_an_archive_in_the_schema_that_is_named(self):
        run("CREATE SCHEMA old; ALTER TABLE archive_message SET SCHEMA old")
        assert recognize_hub("public").archives == ()
        assert recognize_hub("public", archive_schema="old").archives == (
            Archive(
                schema="old",
                script=None,
                missing=("archive_external_call", "archive_request", "archive_response", "archive_funnel"),
            ),
        )

    def test_names_all_archives(self):
        run("CREATE SCHEMA arch; CREATE TABLE arch.archive_message (LIKE archive_message)")
        assert [archive.schema for archive in recognize_hub("public").archives] == ["public", "arch"]

    def test_finds_hubs_in_all_schemas(self):
        run("CREATE SCHEMA second; ALTER TABLE funnel SET SCHEMA second")
        run("CREATE TABLE second.message (LIKE message INCLUDING ALL)")
        run("ALTER TABLE second.message DROP service")
        found = {hub.schema: hub for hub in find_hubs()}
        assert found["public"].family.label == CLEVERBUS_1
        assert found["second"].reason is Reason.UNKNOWN
        assert len(found) == 2


@pytest.mark.django_db
class TestOfOurOwnTables:
    def test_tables_without_these_columns_do_not_belong_to_a_hub(self):
        assert recognize_hub("public") == NoHub(
            schema="public", reason=Reason.CONSOLE, text="its tables are those of Hub Console"
        )

    def test_one_query_finds_no_hub(self):
        with CaptureQueriesContext(connection) as queries:
            assert find_hubs() == []
        assert len(queries) == 1


def test_a_table_of_another_program_does_not_belong_to_a_hub(django_db_setup, django_db_blocker):
    script = "CREATE TABLE message (id bigint, text text); CREATE VIEW pg_temp.message AS SELECT 1 AS msg_id"
    with django_db_blocker.unblock(), another_database("others", script):
        assert find_hubs() == []
