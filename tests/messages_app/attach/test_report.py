"""`doctor` names the missing parts of an attachment, and the revoked rights."""

import json
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from hubconsole.checks import Unhealthy
from hubconsole.checks.database import check_attachment
from messages_app.jobs.connections import own_dsn
from tests.support.attached import ZONE
from tests.support.hubs import hub_database

RIGHTS = """
CREATE ROLE console; CREATE SCHEMA hubconsole AUTHORIZATION console;
GRANT USAGE ON SCHEMA openhub TO console;
GRANT SELECT ON ALL TABLES IN SCHEMA openhub TO console;
GRANT UPDATE (state, last_update_timestamp), TRIGGER ON openhub.message TO console;
GRANT DELETE ON openhub.external_call TO console;
"""
ATTACH = "attach openhub --create-triggers --create-indexes"
OPTIONS = {"time_zone": ZONE, "stdout": StringIO(), "stderr": StringIO()}


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture(autouse=True)
def _rules_of_the_hub(settings) -> None:
    settings.HUB_RULES = ""


@pytest.fixture
def hub(django_db_setup, django_db_blocker, settings) -> Iterator[None]:
    """Give an attached OpenHub. The console's role has the rights of the guide, and no others."""
    with django_db_blocker.unblock(), hub_database("OpenHub 2.3"):
        run(RIGHTS)
        settings.OWNER_DATABASE_URL = own_dsn()
        run("SET ROLE console")
        call_command(*ATTACH.split(), **OPTIONS)
        yield
        run("RESET ROLE; DROP OWNED BY console CASCADE; DROP ROLE console")


def faults() -> tuple[str, str]:
    with pytest.raises(Unhealthy) as found:
        check_attachment()
    return found.value.why, found.value.do


def by_owner(statement: str) -> None:
    run(f"RESET ROLE; {statement}; SET ROLE console")


def test_every_part_that_is_missing_is_named_and_repaired(hub):
    check_attachment()
    by_owner("DROP TRIGGER hubc_message_updated ON openhub.message")
    by_owner("ALTER TABLE openhub.message DISABLE TRIGGER hubc_message_deleted")
    by_owner("DROP INDEX openhub.hubc_message_received_idx, openhub.hubc_request_msg_idx")
    run("DROP VIEW request")
    run("CREATE VIEW request AS SELECT req_id, msg_id FROM openhub.request")
    assert faults() == (
        "views of this version are missing: request; triggers are missing: hubc_message_updated,"
        " hubc_message_deleted; indexes are missing: hubc_message_received_idx, hubc_request_msg_idx",
        f"Run `python manage.py {ATTACH}`, then `rebuild_counts`.",
    )
    call_command(*ATTACH.split(), **OPTIONS)
    check_attachment()


def test_revoked_rights_are_named_with_their_grants(hub):
    by_owner("REVOKE DELETE ON openhub.external_call FROM console")
    by_owner("REVOKE SELECT ON openhub.archive_request FROM console")
    # Only `attach` needs it.
    by_owner("REVOKE TRIGGER ON openhub.message FROM console")
    why, do = faults()
    assert why == "2 rights on the hub's tables were revoked"
    assert do == (
        'As the owner of these tables: GRANT SELECT ON "openhub"."archive_request" TO "console";'
        ' GRANT DELETE ON "openhub"."external_call" TO "console";'
    )
    with pytest.raises(CommandError) as failed:
        call_command("doctor", "--json", stdout=(output := StringIO()))
    assert failed.value.returncode == 1
    assert "attachment" in str(failed.value)
    assert json.loads(output.getvalue())["attachment"] == {"ok": False, "why": why, "do": do}
    by_owner(do.partition(": ")[2])
    check_attachment()


@pytest.mark.slow
def test_objects_that_were_never_created_or_granted_are_not_a_fault(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), hub_database("OpenHub 2.3"):
        run("CREATE ROLE console; CREATE SCHEMA hubconsole AUTHORIZATION console")
        run("GRANT USAGE ON SCHEMA openhub TO console")
        run("GRANT SELECT ON ALL TABLES IN SCHEMA openhub TO console")
        run("SET ROLE console")
        try:
            call_command("attach", "openhub", **OPTIONS)
            check_attachment()
        finally:
            run("RESET ROLE; DROP OWNED BY console CASCADE; DROP ROLE console")
