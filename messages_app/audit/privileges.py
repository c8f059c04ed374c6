"""
What each part of the console may do with which table. The one place that says so: each table has a line.

`r` reads, `a` adds, `w` changes and `d` deletes rows, as in PostgreSQL's own lists; `w:state` changes that
column alone, and `r:id` reads it alone.

Source: docs/spec/promises.md, I-4, S-6, S-7; docs/decisions/0019-database-roles.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """A part of the console with a database role of its own."""

    WEB = "web"
    WORKER = "worker"
    SPARK = "spark"
    ERASE = "erase"


@dataclass(frozen=True)
class Privileges:
    """
    What one part may do with one table.

    Args:
        words: of SELECT, INSERT, UPDATE, DELETE those for the whole table.
        columns: that it may change where it may not change all.
        read: that it may read where it may not read all.
    """

    words: tuple[str, ...]
    columns: tuple[str, ...] = ()
    read: tuple[str, ...] = ()

    def clauses(self) -> Iterator[str]:
        """Yield what is in a GRANT."""
        yield from self.words
        if self.columns:
            yield f"UPDATE ({', '.join(self.columns)})"
        if self.read:
            yield f"SELECT ({', '.join(self.read)})"


_WORDS = {"r": "SELECT", "a": "INSERT", "w": "UPDATE", "d": "DELETE"}
_NONE, _READ, _OWN = "", "r", "r a w d"
_OF_CONSOLE = (_OWN, _NONE, _NONE, _NONE)
# Who may do what: the worker asks whether the maker of a job still may.
_RIGHTS = (_OWN, _READ, _NONE, _NONE)
# All columns of a user but the hash of the password.
_USERS = "r:id,username,first_name,last_name,email,is_active,is_staff,is_superuser,date_joined,last_login"

# The hub's rows: the state alone is changed, and what shows the hub when. Who locks a row needs the right to
# change some column: where nothing is changed it is one that decides nothing.
_STATE = "w:state,last_process_timestamp"
_START = "w:status,next_attempt_timestamp,error_message"
_ATTEMPT = f"{_START},processed_timestamp"

# A message is processed in the request that asks for it at once, or by a worker.
_RECORD = "r a d w:data,message_timestamp,source_message,valid_to"

_ROWS = {
    # table: (web, worker, spark, erase)
    "message": (f"r {_STATE}", "r", f"r a d {_STATE}", "r d w:node_id"),
    "external_call": ("r d", "r", "r a d w:failed_count", "r d"),
    "request": ("r", "r", "r a d w:res_join_id", "r d w:res_join_id"),
    "response": ("r", "r", "r a d w:failed_reason", "r d"),
    "funnel": ("r", "r", "r a d w:funnel_value", "r d"),
    "archive_message": ("r", "r", "r a d w:node_id", "r d w:node_id"),
    "archive_external_call": ("r", "r", "r a d", "r d"),
    "archive_request": ("r", "r", "r a d w:res_join_id", "r d w:res_join_id"),
    "archive_response": ("r", "r", "r a d w:failed_reason", "r d"),
    "archive_funnel": ("r", "r", "r a d", "r d"),
    "archived_relative": ("r", "r", "r", "r"),
    # Written by triggers, which run as their owner, no matter who changes the message.
    "message_event": ("r", "r", "r", "r d"),
    "message_change": ("", "r d", "", ""),
    "new_failure": ("", "r d", "r", "r d"),
    # What they could not write
    "trigger_gap": ("r", "r a d", "", ""),
    # Counts of messages
    "message_rollup": ("r", _OWN, "", ""),
    "message_took": ("r", _OWN, "", ""),
    "message_gauge": ("r", _OWN, "", ""),
    "rollup_pass": ("r", "r a w", "", ""),
    # The archive in Parquet files
    "cold_part": ("r", "r", "r a w:restored,restored_ids,emptied_at", "r w:kept,restored,emptied_at"),
    "cold_file": ("r", "r", "r a", "r d w:path,rows,first_id,last_id,bytes,sha256"),
    "cold_message": ("r", "r", "r a d w:part_id", "r d w:part_id"),
    # Failures
    "failure_group": (
        "r w:state,state_at,snoozed_until,owner,ticket,note",
        "r a w",
        "r a w:failures,example,first_seen,last_seen",
        "r w:summary,example,ticket,note",
    ),
    "failure_member": ("r", "r a w:group_id,at", "r a", "r d"),
    "failure_minute": ("r", _OWN, "r a w:failures", ""),
    "error_code": (_OWN, "r", "", ""),
    # Alerts
    "watch_rule": (_OWN, "r w:told_at,checked_at,value,error", "", "r w:saved_view_id"),
    "alert": ("r w:closed_at,value", "r a w:closed_at,value,worst", "", ""),
    "alert_notice": ("r", "r a w:attempts,next_at,sent_at,error", "", ""),
    # Jobs
    "job": ("r a w", "r a w", "r w:paced_until", "r w:filter,options,report,reason,error"),
    "job_chunk": ("r", "r w d", "r a w", "r"),
    "job_item": ("r", "r d", "r a", "r"),
    "job_refusal": ("r", "r a d", "r a", "r"),
    "job_ledger": ("r", "r", "r", "r"),
    "job_schedule": (_OWN, "r w:last_run_at,last_job,last_outcome", "", "r d w:last_outcome"),
    # Document history
    "document_history": ("r a d w:time", "r d", "", "r d"),
    "document_history_line": ("r", "", "", ""),
    "document_open": ("r a d w:time", "r d", "", "r d"),
    "document_content": ("r a d w:sha256,time", "r d", "", "r d"),
    "document_in_doubt": (_OWN, "", "", "r d"),
    "document_outcome": ("r a d", "r d", "", "r d"),
    "document_sweep": ("r a w d", "r a w d", "", ""),
    "document_trigger": ("r a w", "r", "", "r"),
    # Message store
    "message_store": ("r a", "r", "r", "r d"),
    "message_process": (f"r a {_ATTEMPT}", f"r a {_ATTEMPT}", f"r {_START}", "r d"),
    "message_history": ("r a", "r a", "r d", "r d"),
    "archive_message_history": ("r", "r", "r a", "r d"),
    "message_line": ("r a w", "r a w", "r w", "r w d"),
    "message_count": ("r", _OWN, "", ""),
    "message_count_change": ("r a", "r a d w:change", "a", "a"),
    "source_definition": (_OWN, "r", "", ""),
    "store_setting": (_OWN, "r", "", ""),
    "store_scan": ("r", "r a w", "", ""),
    "store_timeout": ("r", "r a w d", "", ""),
    "target_record": (_RECORD, _RECORD, "", "r d"),
    "entity_refresh": ("r a", "r a", "", "r d"),
    "unresolved_reference": ("r a d", "r a d", "r", "r d"),
    # CP queue
    "oscpmqueue": ("r a d w:lock_service,checkguid", "r a", "", "r d"),
    "cp_ready": ("r", "", "", ""),
    "cp_deferred": ("r a d w:lock_service,checkguid", "r", "", "r d"),
    "cp_retry": ("r a d w:attempts", "", "", "r d"),
    "cp_reservation": (_OWN, "r", "", "r d"),
    "cp_dispatch": ("r a", "r d", "", "r d"),
    "cp_lost_pickup": ("r a w:lost", "r d", "", ""),
    "cp_pause": ("r a d", "r", "", ""),
    "cp_service": ("r a w:last_poll,queues", "r d", "", ""),
    # The audit: no part changes or removes an entry.
    "audit_entry": ("r a", "r a", "a", "r a"),
    "audit_seal": ("r", "r a", "", ""),
    "audit_mark": ("", "r a w", "", ""),
    "audit_tombstone": ("r", "r", "", ""),
    # Who may do what
    "auth_user": (_OWN, _USERS, _NONE, _NONE),
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
    "user_session": (_OWN, "r:ends_at d", "", ""),
    "otp_totp_totpdevice": _OF_CONSOLE,
    "otp_static_staticdevice": _OF_CONSOLE,
    "otp_static_statictoken": ("r a d", "", "", ""),
    "django_admin_log": ("r a d", "", "", ""),
    # What people keep
    "saved_view": (_OWN, "r", "", "r d"),
    "list_preference": _OF_CONSOLE,
    "first_page_visit": _OF_CONSOLE,
    # Beat's, and the framework's
    "django_celery_beat_periodictask": (_OWN, "r a w", "", "r d"),
    "django_celery_beat_periodictasks": ("r a w", "r a w", "", "r a w"),
    "django_celery_beat_crontabschedule": (_OWN, "r a w", "", "r"),
    "django_celery_beat_intervalschedule": (_OWN, "r a w", "", "r"),
    "django_celery_beat_clockedschedule": (_OWN, "r a w", "", "r"),
    "django_celery_beat_solarschedule": (_OWN, "r a w", "", "r"),
    "django_migrations": ("r", "r", "", ""),
}


# A table of the hub that is archived besides: HUBCONSOLE_ARCHIVED_TABLES.
_FURTHER = ("r", "r", "r a w d", "r d")


def _read(text: str) -> Privileges:
    words = [word for word in text.split() if ":" not in word]
    columns = {word[0]: tuple(word[2:].split(",")) for word in text.split() if ":" in word}
    return Privileges(tuple(_WORDS[word] for word in words), columns.get("w", ()), columns.get("r", ()))


def _row(texts: tuple[str, ...]) -> Mapping[Part, Privileges]:
    return dict(zip(Part, map(_read, texts), strict=True))


PRIVILEGES: Mapping[str, Mapping[Part, Privileges]] = {table: _row(texts) for table, texts in _ROWS.items()}
FURTHER = _row(_FURTHER)
