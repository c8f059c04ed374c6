"""
The database privileges of each part of the console. Each table has a line here, or in the registration of its
store.

`r` reads, `a` adds, `w` changes and `d` deletes rows, as in PostgreSQL's own notation. `w:state` only changes
the column `state`, and `r:id` only reads the column `id`.

Source: docs/contributing/spec/promises.md, I-4, S-6, S-7; docs/contributing/decisions/0019-database-roles.md.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import or_

from messages_app.core.stores import OWN, Row, Store, installed_stores


class Part(StrEnum):
    """A part of the console that has its own database role."""

    WEB = "web"
    WORKER = "worker"
    SPARK = "spark"
    ERASE = "erase"


@dataclass(frozen=True)
class Privileges:
    """
    The privileges of one part for one table.

    Args:
        words: the privileges for the whole table: SELECT, INSERT, UPDATE, DELETE.
        columns: the columns that it may change, if not all.
        read: the columns that it may read, if not all.
    """

    words: tuple[str, ...]
    columns: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    def iterate_clauses(self) -> Iterator[str]:
        """Yield the parts of a GRANT."""
        yield from self.words
        if self.columns:
            yield f"UPDATE ({', '.join(self.columns)})"
        if self.read:
            yield f"SELECT ({', '.join(self.read)})"


_WORDS = {"r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE"}
_NONE, _READ = "", "r"
_OF_CONSOLE = (OWN, _NONE, _NONE, _NONE)
# Tables with permissions. The worker reads them to check that the creator of a job still has permission.
_RIGHTS = (OWN, _READ, _NONE, _NONE)
# All columns of a user except the hash of the password.
_USERS = "r:id,username,first_name,last_name,email,is_active,is_staff,is_superuser,date_joined,last_login"

_ROWS: Mapping[str, Row] = {
    # table: (web, worker, spark, erase)
    # Jobs
    "job": ("r a w", "r a w", "r w:paced_until", "r w:filter,options,report,reason,error"),
    "job_chunk": ("r", "r w d", "r a w", "r"),
    "job_item": ("r", "r d", "r a", "r"),
    "job_refusal": ("r", "r a d", "r a", "r"),
    "job_ledger": ("r", "r", "r", "r"),
    "job_schedule": (OWN, "r w:last_run_at,last_job,last_outcome,recent_runs", "", "r d w:last_outcome"),
    # Webhooks: the worker notes events and sends them.
    "webhook": (OWN, "r w:delivered_at,error,rests_until", "", "r"),
    "webhook_delivery": ("r d", OWN, "", "r"),
    "webhook_message": ("r d", "r a d", "", "r d"),
    "webhook_position": ("", "r w", "", ""),
    # Incidents: the worker gathers failures, people change what it gathered.
    "incident": ("r a w", "r a w", "", "r w:title,key_sender,key_text,external_system"),
    "failure_cell": ("r", "r a w:last_seen,first_seen", "", "r w:cause,external_system,source_system"),
    "failure_cell_minute": ("r", OWN, "", ""),
    "failure_item": ("r", OWN, "", "r d"),
    "incident_cell": (OWN, OWN, "", ""),
    "incident_message": (OWN, "r", "", "r d"),
    "incident_decision": (OWN, "r", "", "r w:reason"),
    "incident_pass": ("r", "r a w", "", ""),
    # Notes; the rule moves those of incidents that it merges.
    "note": ("r a d w:subject", "r w:subject", "", "r w:text"),
    "note_mention": ("r a d", "", "", ""),
    # Deployments, which incidents show
    "deployment": ("r a", "r", "", "r w:note"),
    # Owners and targets of services and systems
    "participant_profile": (OWN, "r", "", "r w:owner,runbook"),
    # statements that triggers could not record
    "trigger_gap": ("r", "r a d", "", ""),
    # the audit log: no part changes or removes entries
    "audit_entry": ("r a", "r a", "a", "r a"),
    "audit_seal": ("r", "r a", "", ""),
    "audit_mark": ("r", "r a w", "", ""),
    "audit_stream": ("r", "r a w", "", ""),
    "audit_tombstone": ("r", "r", "", ""),
    # users and permissions
    "auth_user": (OWN, _USERS, _NONE, _NONE),
    "auth_group": _RIGHTS,
    "auth_permission": ("r", "r", "", ""),
    "auth_user_groups": _RIGHTS,
    "auth_group_permissions": _RIGHTS,
    "auth_user_user_permissions": _RIGHTS,
    "django_content_type": ("r", "r", "", ""),
    "api_token": ("r a d w:last_used_at,revoked_at", "", "", ""),
    "idempotency_key": ("r a d", "r:id,created_at d", "", "r w:body,key"),
    "login_failure": ("r a w d", "r d", "", ""),
    "request_window": ("r a w:began_at,used", "r d", "", ""),
    "provider_account": ("r a w", "", "", ""),
    "group_mapping": ("r a d", "", "", ""),
    "person_settings": ("r a w", "", "", "r w:pins"),
    "user_session": (OWN, "r:ends_at d", "", ""),
    "otp_totp_totpdevice": _OF_CONSOLE,
    "recovery_code": ("r a d", "", "", ""),
    "passkey": ("r a d w:sign_count,last_used_at", "", "", ""),
    "passkey_challenge": ("r a d", "r:ends_at d", "", ""),
    "django_admin_log": ("r a d", "", "", ""),
    "first_page_visit": _OF_CONSOLE,
    # tables of Celery beat and of Django
    "django_celery_beat_periodictask": (OWN, "r a w", "", "r d"),
    "django_celery_beat_periodictasks": ("r a w", "r a w", "", "r a w"),
    "django_celery_beat_crontabschedule": (OWN, "r a w", "", "r"),
    "django_celery_beat_intervalschedule": (OWN, "r a w", "", "r"),
    "django_celery_beat_clockedschedule": (OWN, "r a w", "", "r"),
    "django_celery_beat_solarschedule": (OWN, "r a w", "", "r"),
    "django_migrations": ("r", "r", "", ""),
}


# For additional tables of the hub that are archived: HUBCONSOLE_ARCHIVED_TABLES.
_FURTHER = ("r", "r", "r a w d", "r d")


def _parse_privileges(text: str) -> Privileges:
    words = [word for word in text.split() if ":" not in word]
    columns = {word[0]: tuple(word[2:].split(",")) for word in text.split() if ":" in word}
    return Privileges(tuple(_WORDS[word] for word in words), columns.get("w", ()), columns.get("r", ()))


def _parse_row(texts: tuple[str, ...]) -> Mapping[Part, Privileges]:
    return dict(zip(Part, map(_parse_privileges, texts), strict=True))


def privileges_of(stores: Iterable[Store]) -> dict[str, Mapping[Part, Privileges]]:
    """Return the privileges of each part for each table of these stores and of the console itself."""
    rows = reduce(or_, (store.privileges for store in stores), _ROWS)
    return {table: _parse_row(texts) for table, texts in rows.items()}


def privileges_of_view(table: str, row: Mapping[Part, Privileges]) -> Mapping[Part, Privileges]:
    """
    Return the privileges of each part for a view of a table of an attached hub.

    Tasks of Spark store rows in the hub's own tables, and take them from its archive there. A restart writes
    another column, because a view cannot write to one that it computes.
    """
    columns = {part: tuple(map(_column_of_view, privileges.columns)) for part, privileges in row.items()}
    unused = {"INSERT", "DELETE"} if table.startswith("archive_") else {"INSERT"}
    words = {
        part: tuple(word for word in privileges.words if part != Part.SPARK or word not in unused)
        for part, privileges in row.items()
    }
    return {part: Privileges(words[part], columns[part], privileges.read) for part, privileges in row.items()}


def _column_of_view(name: str) -> str:
    return "hub_last_update" if name == "last_process_timestamp" else name


PRIVILEGES: Mapping[str, Mapping[Part, Privileges]] = privileges_of(installed_stores())
FURTHER = _parse_row(_FURTHER)
# For the table of values that the archive of an attached hub lacks.
OF_EXTRA = _parse_row(("", "", OWN, "r d"))
