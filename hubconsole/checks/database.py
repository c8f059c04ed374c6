"""Checks of the database: server, migrations, indexes, triggers, roles, beat and the clock."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from pkgutil import iter_modules

import psycopg
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Index, Max, Model
from django.db.models.functions import Greatest
from django_celery_beat.models import PeriodicTask

from hubconsole import pooler
from hubconsole.checks import Unhealthy
from hubconsole.suitability import contracting_migration, refusal_of_hub, refusal_of_server
from messages_app.attach.recognition import Hub, recognize_hub
from messages_app.attach.report import faults_of
from messages_app.attach.status import attached_hub
from messages_app.audit.grants import may_rewrite
from messages_app.audit.privileges import Part
from messages_app.audit.role_fit import Fit, compare_privileges
from messages_app.audit.verification import count_unsealed, foreign_entries
from messages_app.core.clock import database_clock, time_limit
from messages_app.core.store_functions import functions_of_stores
from messages_app.core.stores import installed_stores
from messages_app.core.trigger_gaps import areas_of_stores, count_lost_gaps, open_gaps
from messages_app.jobs.archive_months.services import missing_month
from messages_app.jobs.connections import database_dsn
from messages_app.messages.metrics.polling import polling_state
from spark_tasks.database import only_row

# Beat records its runs every three minutes, and its table of tasks when it starts.
BEAT_SILENT = timedelta(minutes=7)
MAX_SKEW = 5.0  # seconds
MAX_UNPOLLED = 300.0  # seconds
_MAX_MS = 1000


def check_server() -> None:
    if refused := refusal_of_server() or refusal_of_hub():
        raise Unhealthy(*refused)


def check_migrations() -> None:
    """Check that all migrations are applied, and none that this version cannot work with."""
    applied, expected = set(MigrationRecorder(connection).applied_migrations()), _known_migrations()
    if missing := sorted(expected - applied):
        why = f"{len(missing)} migrations are not applied, {'.'.join(missing[0])} the first"
        raise Unhealthy(why, f"Run `{settings.COMMAND_LINE} migrate`.")
    if newer := contracting_migration(applied - expected):
        why = f"the tables belong to a newer version, which has messages_app.{newer}"
        raise Unhealthy(why, "Install that version of Hub Console.")


@cache
def _known_migrations() -> set[tuple[str, str]]:
    """Return the migrations by file name. Loading all of them takes longer than a probe waits."""
    return {
        (config.label, module.name)
        for config in apps.get_app_configs()
        for module in iter_modules([str(Path(config.path) / "migrations")])
        if not module.name.startswith(("_", "~"))
    }


def hear_beat() -> None:
    """Raise Unhealthy if beat has not reported. Beat keeps jobs, sweepers and schedules running."""
    heard = PeriodicTask.objects.aggregate(at=Max(Greatest("last_run_at", "date_changed")))["at"]
    do = "Start Celery's beat: `celery -A hubconsole beat`; `up` runs it."
    if heard is None:
        raise Unhealthy("beat has never run", do)
    if (silent := database_clock() - heard) > BEAT_SILENT:
        minutes = int(silent.total_seconds() // 60)
        raise Unhealthy(f"beat has not reported for {minutes} min: stalled jobs are not taken over", do)


def check_beat() -> str | None:
    """
    Raise Unhealthy if beat has not reported or lacks tasks.

    Returns:
        The names of tasks that are switched off, or None.
    """
    hear_beat()
    named = sorted(settings.CELERY_BEAT_SCHEDULE)
    stored = dict(PeriodicTask.objects.filter(name__in=named).values_list("name", "enabled"))
    if missing := [name for name in named if name not in stored]:
        do = "See the log of beat for the reason. Run `grant` for its role again, then restart beat."
        raise Unhealthy(
            f"beat is missing {len(missing)} of its tasks, which never run: {', '.join(missing)}", do
        )
    off = [name for name in named if not stored[name]]
    return f"disabled in django_celery_beat_periodictask: {', '.join(off)}" if off else None


def check_clock() -> None:
    before = time.time()
    database_time = database_clock().timestamp()
    skew = database_time - (before + time.time()) / 2
    if abs(skew) > MAX_SKEW:
        way = "ahead of" if skew > 0 else "behind"
        why = f"the database's clock is {abs(skew):.0f} s {way} this machine's"
        do = (
            "Synchronise both clocks with NTP. Processing continues: the database clock decides every age "
            "and lease."
        )
        raise Unhealthy(why, do)


def check_indexes() -> None:
    expected = dict(_iterate_indexes())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
            " WHERE relname = ANY (%s) AND pg_table_is_visible(indexrelid)",
            [list(expected)],
        )
        validity = dict(cursor.fetchall())
    if missing := sorted(set(expected) - set(validity)):
        why = f"indexes are missing: {', '.join(missing)}; lists may be slow"
        raise Unhealthy(
            why, f"In psql: {'; '.join(_write_statement(*expected[name]) for name in missing[:5])};"
        )
    if broken := sorted(name for name, is_valid in validity.items() if not is_valid):
        why = f"indexes are incomplete and not used: {', '.join(broken)}"
        raise Unhealthy(
            why, f"In psql: {'; '.join(f'REINDEX INDEX CONCURRENTLY {name}' for name in broken)};"
        )


def _iterate_indexes() -> Iterator[tuple[str, tuple[type[Model], Index]]]:
    """Yield the indexes of the console's own tables; those on the tables of an attached hub are optional."""
    views = set(connection.introspection.table_names(include_views=True))
    views.difference_update(connection.introspection.table_names())
    for model in apps.get_app_config("messages_app").get_models():
        if model._meta.managed and model._meta.db_table not in views:
            yield from ((index.name, (model, index)) for index in model._meta.indexes)


def _write_statement(model: type[Model], index: Index) -> str:
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        return str(index.create_sql(model, editor, concurrently=True))


def check_audit() -> str | None:
    """
    Raise Unhealthy if entries of the audit log are not sealed or outside of all seals, or if the role can
    change it. The embedded server has only one role, its superuser, and an attached console has only its own.

    Returns:
        The number and age of unsealed entries; None: all are sealed.
    """
    waiting = count_unsealed()
    if waiting.is_too_old:
        do = "Check that beat and the worker for the short queue are running; its log has the reason."
        raise Unhealthy(f"the audit log is no longer sealed: {waiting}", do)
    if foreign := foreign_entries():
        raise Unhealthy(
            f"the audit log has been tampered with: {foreign.rstrip('.')}",
            f"Run `{settings.COMMAND_LINE} verify_audit`, and find out who could write to the database.",
        )
    note = str(waiting) if waiting.entries else None
    if os.environ.get("DATABASE_URL") and may_rewrite():
        if attached_hub():
            owner = "on an attached hub, the console's database role owns the audit log"
            return f"{owner}; {note}" if note else owner
        do = f"Use a separate database role in DATABASE_URL: see `{settings.COMMAND_LINE} grant --help`."
        raise Unhealthy("the console's database role could change the audit log", do)
    return note


def check_archive_months() -> None:
    """Raise Unhealthy if the archive has no tables for this month or the next, and jobs may not make them."""
    if month := missing_month():
        do = f"Run `{settings.COMMAND_LINE} archive_months --make` as the owner of the tables, every month."
        raise Unhealthy(f"the archive has no tables for {month}: its rows would be in the month other", do)


def check_attachment() -> None:
    """Raise Unhealthy if something that `attach` created on the hub, or was granted there, is missing."""
    attachment = attached_hub()
    if attachment is None:
        return
    if refused := refusal_of_hub():
        raise Unhealthy(*refused)
    hub = recognize_hub(attachment.hub_schema, archive_schema=attachment.archive_schema)
    clauses, to_do = faults_of(attachment, hub) if isinstance(hub, Hub) else ([], [])
    if clauses:
        raise Unhealthy("; ".join(clauses), " ".join(to_do))


def check_gaps() -> str | None:
    """Return how many statements of the hub the console missed, or None if it missed none."""
    areas = areas_of_stores()
    clauses = [
        f"{gap.statements} statements since {gap.first_at:%Y-%m-%d %H:%M} UTC are missing from"
        f" {areas[gap.area]}"
        for gap in open_gaps()
    ]
    if missing := count_lost_gaps():
        clauses.append(f"{missing} more are recorded only in the database log")
    return "; ".join(clauses) or None


def refuse_gaps() -> None:
    if missing := check_gaps():
        reasons = "; ".join(f"{gap.code}: {gap.reason}" for gap in open_gaps())
        do = f"Fix the cause ({reasons or 'see the log'}), then run `{settings.COMMAND_LINE} rebuild_counts`."
        raise Unhealthy(missing, do)


def check_polling() -> str | None:
    """
    Raise Unhealthy if a hub without triggers is not polled.

    Returns:
        The age of the figures, and the statements that record changes immediately; None with triggers.
    """
    polling = polling_state()
    if polling is None:
        return None
    do = "Check that beat and the worker for the short queue are running; its log has the reason."
    if polling.seconds is None:
        return "the hub's changes have not been polled yet"
    if polling.seconds > MAX_UNPOLLED:
        raise Unhealthy(f"the hub's changes were last polled {polling.seconds / 60:.0f} min ago", do)
    counting = "" if polling.swept_at else "; counts are incomplete until all messages have been read once"
    age = f"{polling.seconds:.0f} s ago"
    return f"the hub's changes are noticed by polling, last {age}{counting}. {polling.remedy}"


_WORKER = (Part.WORKER,)
# The services of every installation; each worker of a store is one too.
_PARTS: Mapping[str, tuple[Part, ...]] = {
    "web": (Part.WEB,),
    "short-worker": _WORKER,
    "spark-worker": _WORKER,
    "beat": _WORKER,
}
# One server, the time of its start, and one of its databases.
_WHERE = "SELECT pg_postmaster_start_time(), oid FROM pg_database WHERE datname = current_database()"
_CONNECT_SECONDS = 2
_SPARK = "HUBCONSOLE_SPARK_DATABASE_URL"


def parts_of_service(name: str) -> tuple[Part, ...]:
    """Return the parts that a service does; none for a shell."""
    if any(worker.name == name for store in installed_stores() for worker in store.workers):
        return _WORKER
    return _PARTS.get(name, ())


def check_rights() -> None:
    """
    Raise Unhealthy if the role lacks rights of its part, often on a table added after `grant`, or has more.
    """
    parts = parts_of_service(os.environ.get("HUBCONSOLE_PROCESS", ""))
    fit = compare_privileges(parts=parts)
    _refuse_unfit(fit, "DATABASE_URL")
    if fit.is_for_all and settings.IS_PRODUCTION and settings.DATABASE_ROLES == "separate":
        do = "Give each part its own role (docs/howto/deploy.md), or set HUBCONSOLE_DATABASE_ROLES=one."
        raise Unhealthy("one database role may do everything that any part of the console needs", do)


def check_spark_role() -> None:
    """Raise Unhealthy if job tasks cannot connect, reach another database or have an unsuitable role."""
    if settings.SPARK_DATABASE is None:
        return
    where, role = _read_spark_identity()
    with connection.cursor() as cursor:
        cursor.execute(_WHERE)
        if cursor.fetchone() != where:
            do = f"Set {_SPARK} to the server and database of DATABASE_URL, with another role."
            raise Unhealthy("job tasks would use a different database than the console", do)
    _refuse_unfit(compare_privileges(role, parts=(Part.SPARK,)), _SPARK)


def _read_spark_identity() -> tuple[tuple[object, ...], str]:
    """Return the database and the role of the tasks of jobs."""
    try:
        if fault := pooler.why_unusable(_connect_as_spark):
            do = f"Set {_SPARK} to PostgreSQL itself."
            raise Unhealthy(f"the address of job tasks leads through a connection pooler that {fault}", do)
        with psycopg.connect(database_dsn(), connect_timeout=_CONNECT_SECONDS) as database:
            where = only_row(database.execute(_WHERE))
            (role,) = only_row(database.execute("SELECT current_user"))
            return where, role
    except psycopg.OperationalError:  # The error's text may contain the address.
        do = f"Correct the server, role and password in {_SPARK}. Until then jobs fail."
        raise Unhealthy("job tasks cannot connect to the database", do) from None


def _connect_as_spark() -> psycopg.Connection:
    return psycopg.connect(
        database_dsn(), connect_timeout=_CONNECT_SECONDS, autocommit=True, prepare_threshold=None
    )


def _refuse_unfit(fit: Fit, address: str) -> None:
    for_all = len(fit.parts) > 1
    part = "the console" if for_all else f"the part {fit.parts[0]}"
    if fit.lacking:
        command = "grant ROLE" if for_all else f"grant ROLE --as {fit.parts[0]}"
        do = (
            f"Run `{settings.COMMAND_LINE} {command}` as the owner of the tables. This is required after"
            " each update."
        )
        raise Unhealthy(
            f"the role of {address} lacks permissions that {part} needs: {_shorten_list(fit.lacking)}", do
        )
    if fit.more:
        do = "Revoke its role memberships and the permissions of PUBLIC, then run `grant` again."
        raise Unhealthy(
            f"the role of {address} has more permissions than {part}: {_shorten_list(fit.more)}", do
        )


def _shorten_list(rights: list[str]) -> str:
    further = len(rights) - 5
    return ", ".join(rights[:5]) + (f" and {further} more" if further > 0 else "")


PARTS: Mapping[str, Callable[[], str | None]] = {
    "database": check_server,
    "migrations": check_migrations,
    "beat": check_beat,
    "clock": check_clock,
    "indexes": check_indexes,
    "gaps": check_gaps,
    "polling": check_polling,
}


def doctor_parts() -> dict[str, Callable[[], str | None]]:
    """Return the database checks of `doctor`, including the ones that the console can work without."""
    return {
        **PARTS,
        "attachment": check_attachment,
        "archive": check_archive_months,
        "gaps": refuse_gaps,
        "audit": check_audit,
        "rights": check_rights,
        "spark_role": check_spark_role,
        **{
            name: partial(_ask_store, check)
            for functions in functions_of_stores()
            for name, check in functions.checks.items()
        },
    }


def _ask_store(check: Callable[[], tuple[str, str] | None]) -> None:
    """Raise Unhealthy with the finding of a store's own check."""
    if fault := check():
        raise Unhealthy(*fault)


def check_part(part: Callable[[], str | None]) -> str | None:
    """Check one part. Each of its queries is limited to one second."""
    with time_limit(_MAX_MS):
        return part()
