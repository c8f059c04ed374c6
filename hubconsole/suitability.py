"""
Decides whether the console can use the database of its settings, before anything is written to it.

Source: docs/contributing/spec/hub_versions.md, "Databases of hubs".
"""

import os
from collections.abc import Iterable
from pathlib import Path
from shlex import quote

import django
from django.db import NotSupportedError, OperationalError, connection

from hubconsole.installation import COMMAND_LINE, START_COMMAND
from hubconsole.pooler import refusal_of_pooler
from messages_app.attach.recognition import Hub, NoHub, find_hubs
from messages_app.attach.status import attached_hub, refusal_of
from messages_app.core.embedded_servers import POSTGRES, is_listening, last_endpoint

OLDEST_POSTGRESQL = 15
NEWER_SERVER = f"Move to PostgreSQL {OLDEST_POSTGRESQL} or newer."
ATTACH = f"Run `{COMMAND_LINE} attach {{schema}} --dry-run`, or set DATABASE_URL to a separate database."

# The end of the name of each migration that takes away something a former version uses.
_CONTRACT = "_contract"

# These check the database themselves; `up` after it has started it.
_CHECK_THEMSELVES = {"attach", "detach", "migrate", "up"}
_WITHOUT_DATABASE = {
    "check",
    "collectstatic",
    "compilemessages",
    "completion",
    "diffsettings",
    "findstatic",
    "help",
    "makemessages",
    "makemigrations",
    "optimizemigration",
    "sendtestemail",
    "service",
    "spark",
    "spectacular",
    "squashmigrations",
    "startapp",
    "startproject",
    "test",
    "version",
}


def refusal_of_database() -> str | None:
    """Explain in one line why the console cannot use the database and what to do; None if it can."""
    if refused := refusal_of_server() or refusal_of_hub():
        why, do = refused
        return f"{_make_sentence(why)} {do}"
    return None


def refusal_of_command(arguments: list[str]) -> str | None:
    """
    Explain in one line why a command cannot use the database; None if it can.

    Commands that do not use it or check it themselves are not refused. While the database does not answer,
    nothing is refused, because the command's own error explains more.

    Args:
        arguments: the words after `hubconsole`.
    """
    name = next(iter(arguments), "help")
    is_help = not {"-h", "--help"}.isdisjoint(arguments)
    if is_help or name in _CHECK_THEMSELVES | _WITHOUT_DATABASE or name.startswith("-"):
        return None
    django.setup()  # Django warns about queries before it.
    try:
        return refusal_of_database()
    except OperationalError:
        return None


def why_no_database(error: OperationalError, home: Path) -> str | None:
    """
    Explain in one line why the database does not answer.

    Returns:
        None if there was a connection, because the error then came from the database itself.
    """
    if getattr(error.__cause__, "sqlstate", None):
        return None
    if not os.environ.get("DATABASE_URL") and not is_listening(last_endpoint(home, POSTGRES).port):
        return f"PostgreSQL is not running: start it with `{START_COMMAND}`"
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return f"The database does not answer: {reason}"


def old_server() -> str | None:
    """Return a clause about a server that is too old, or None."""
    try:
        version, *_ = connection.get_database_version()
    except NotSupportedError:  # It is even older than Django supports.
        return "this PostgreSQL is too old"
    return f"PostgreSQL {version} is too old" if version < OLDEST_POSTGRESQL else None


def refusal_of_standby() -> tuple[str, str] | None:
    """Return a clause about a server or a role that cannot write, and what to do; None if it can write."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'")
        is_standby, only_reads = cursor.fetchone()
    if is_standby:
        do = "Set DATABASE_URL to the primary, or to all servers (docs/howto/database_failover.md)."
        return "the server of DATABASE_URL is a standby, on which nothing can be written", do
    if only_reads:
        do = "Reset it for the role and the database of DATABASE_URL."
        return "transactions only read, because of default_transaction_read_only", do
    return None


def refusal_of_server() -> tuple[str, str] | None:
    """Return a clause why the console cannot use the server or the way to it, and what to do; or None."""
    if refused := refusal_of_pooler():  # First, because Django's own connection may be refused by it.
        return refused
    if why := old_server():
        return why, NEWER_SERVER
    return refusal_of_standby()


def refusal_of_hub() -> tuple[str, str] | None:
    """
    Return a clause why the console cannot work with the hubs in the database now, and what to do; or None.
    """
    hubs = find_hubs()
    if not hubs:
        return None
    if attached := attached_hub():
        return refusal_of(attached)
    named = " and ".join(map(_describe_tables, hubs))
    do = ATTACH.format(schema=quote(hubs[0].schema))
    return f"the database {connection.settings_dict['NAME']} contains {named}", do


def contracting_migration(unknown: Iterable[tuple[str, str]]) -> str | None:
    """
    Return the last of these migrations that takes away something this version uses, or None.

    Source: docs/contributing/development.md, "Migrations". With all others, versions work side by side.

    Args:
        unknown: applied migrations of newer versions, as (application, name).
    """
    names = [name for app, name in unknown if app == "messages_app" and name.endswith(_CONTRACT)]
    return max(names, default=None)


def _describe_tables(hub: Hub | NoHub) -> str:
    if isinstance(hub, Hub):
        return f"the tables of a hub, {hub.family.label}, in the schema {hub.schema}"
    return f"tables that resemble those of a hub in the schema {hub.schema} ({hub.text})"


def _make_sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."
