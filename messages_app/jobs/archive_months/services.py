"""
Partitions the archive tables by the month of archiving, online, and detaches and attaches months.

All changes of tables are short: they wait for a lock for half a second at most, and are tried again, so that
jobs and pages pass. Rows are read only while nothing is locked against them.

Source: docs/contributing/decisions/0031-archive-by-month.md.
"""

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from messages_app.audit.services import Actor, record_entry
from messages_app.jobs.archive_months.table_changes import (
    LIKE,
    TRIES,
    CannotChangeMonths,
    add_key,
    add_limit,
    add_time,
    as_owner,
    attach_part,
    bounds_of,
    change_patiently,
    drop_limit,
    limit_of,
    replace_tables,
    run_statement,
)
from messages_app.jobs.archive_months.tables import (
    DETACHED,
    OTHER,
    Month,
    archive_names,
    is_by_month,
    month_after,
    owner_of_tables,
    sizes_of_months,
    statements,
    this_month,
)
from messages_app.jobs.kinds.registry import kinds_that_use_archive
from messages_app.messages.attachment import current_attachment

# How many months after the current one have tables.
AHEAD = 3


def why_not_partition() -> str | None:
    """Return why the archive tables cannot be partitioned by month, or None."""
    if current_attachment():
        return "The archive tables belong to the hub that the console is attached to."
    if is_by_month():
        return "The archive tables are partitioned already."
    if owner_of_tables() is None:
        return "Only the owner of the archive tables can change them: set DATABASE_URL to that role."
    obstacles = statements.fetch_rows("obstacles", {"tables": archive_names()})
    if obstacles:
        listed = ", ".join(f"{what} ({table})" for table, what in obstacles)
        return f"Partitioned tables would lose or change: {listed}. Drop it first, and create it afterwards."
    return None


def partition_archive(*, actor: Actor, reason: str = "") -> Month:
    """
    Partition the archive tables online. Their rows become one partition, which also takes what is archived in
    this month and the next one.

    Returns:
        The partition of the present rows.

    Raises:
        CannotChangeMonths: see why_not_partition; or other sessions held the tables for a minute.
    """
    if why := why_not_partition():
        raise CannotChangeMonths(why)
    past = Month(None, month_after(month_after(this_month())))
    names = archive_names()
    try:
        for name in names:
            change_patiently(partial(add_limit, name, past))
            run_statement("ALTER TABLE {table} VALIDATE CONSTRAINT {limit}", table=name, limit=limit_of(name))
        change_patiently(lambda: _exchange_tables(names, past, actor, reason))
    finally:
        # Rows of later months would be refused.
        for name in [] if is_by_month() else names:
            change_patiently(partial(drop_limit, name))
    for name in names:
        run_statement("ANALYZE {table}", table=name)
    make_months()
    return past


def partition_empty() -> bool:
    """
    Partition archive tables without pages by month, from the current month on. A migration calls this.

    It reads no models, because their columns may be newer than the database.

    Returns:
        False: nothing was changed. A table has pages or something that a partitioned table would lose, this
        role is not its owner, or another session held it for half a second.
    """
    names = archive_names()
    if owner_of_tables() is None or statements.fetch_rows("obstacles", {"tables": names}):
        return False
    with suppress(CannotChangeMonths):
        change_patiently(partial(_replace_empty, names), tries=1)
    return is_by_month()


def make_months(ahead: int = AHEAD, *, tries: int = TRIES) -> list[Month]:
    """
    Make the tables of this month and of the next ones; return the new months.

    Rows of such a month that no month had until now move from the partition of other rows. Nothing is done
    for plain tables, or by a role that may not alter them.

    Raises:
        CannotChangeMonths: other sessions held the tables for a minute.
    """
    if current_attachment() or not is_by_month() or owner_of_tables() is None:
        return []
    made = _missing_months(ahead)
    for month in made:
        change_patiently(partial(_create_partitions, archive_names(), month), tries=tries)
    return made


def missing_month() -> Month | None:
    """Return this month or the next one if it has no tables and this role may not make them, or None."""
    if current_attachment() or not is_by_month() or owner_of_tables() is not None:
        return None
    return next(iter(_missing_months(1)), None)


def why_not_detach(month: Month) -> str | None:
    """Return why a month cannot be detached, or None."""
    if why := _why_not_change(month, is_attached=True):
        return why
    if month.end > this_month():
        return f"The month {month} has not ended: jobs still archive to it."
    return None


def detach_month(month: Month, *, actor: Actor, reason: str = "") -> list[str]:
    """
    Detach a month from all archive tables in one transaction. Its tables stay in the database; return their
    names.

    Raises:
        CannotChangeMonths: see why_not_detach; or other sessions held the tables for a minute.
    """
    if why := why_not_detach(month):
        raise CannotChangeMonths(why)
    names = archive_names()

    def change_tables() -> None:
        with as_owner():
            for name in names:
                part = month.name_table(name)
                run_statement("ALTER TABLE {table} DETACH PARTITION {part}", table=name, part=part)
                run_statement("ALTER TABLE {part} RENAME TO {detached}", part=part, detached=DETACHED + part)
            _check_jobs()
            _record_change("detach_archive_month", month, actor, reason)

    change_patiently(change_tables)
    return [DETACHED + month.name_table(name) for name in names]


def why_not_attach(month: Month) -> str | None:
    """Return why a detached month cannot be attached again, or None."""
    return _why_not_change(month, is_attached=False)


def attach_month(month: Month, *, actor: Actor, reason: str = "") -> None:
    """
    Attach a detached month again, so that its messages are found and can be restored.

    Raises:
        CannotChangeMonths: see why_not_attach; or other sessions held the tables for a minute.
    """
    if why := why_not_attach(month):
        raise CannotChangeMonths(why)
    names = archive_names()
    for name in names:
        # The check lets ATTACH skip its own search, for which it would lock the partition of other rows.
        part = DETACHED + month.name_table(name)
        run_statement("ALTER TABLE {part} DROP CONSTRAINT IF EXISTS {limit}", part=part, limit=limit_of(name))
        run_statement(
            "ALTER TABLE {part} ADD CONSTRAINT {limit}"
            " CHECK ({archived_at} >= {first} AND {archived_at} < {end})",
            part=part,
            limit=limit_of(name),
            **bounds_of(month, lowest="-infinity"),
        )

    def change_tables() -> None:
        with as_owner():
            for name in names:
                part = month.name_table(name)
                run_statement("ALTER TABLE {detached} RENAME TO {part}", part=part, detached=DETACHED + part)
                attach_part(name, month)
                run_statement("ALTER TABLE {part} DROP CONSTRAINT {limit}", part=part, limit=limit_of(name))
            _check_jobs()
            _record_change("attach_archive_month", month, actor, reason)

    change_patiently(change_tables)


def _why_not_change(month: Month, *, is_attached: bool) -> str | None:
    if current_attachment() or not is_by_month():
        return "The archive tables are not partitioned by month: see --partition."
    if owner_of_tables() is None:
        return "Only the owner of the archive tables can change them: set DATABASE_URL to that role."
    matches = [each for each in sizes_of_months() if each.month == month and each.is_attached == is_attached]
    if not matches:
        return f"No {'attached' if is_attached else 'detached'} month is {month}."
    if busy := _busy_jobs():
        listed = ", ".join(map(str, busy))
        return f"These jobs may still need archived rows: {listed}. Wait for them or stop them."
    return None


def _busy_jobs() -> list[int]:
    return [row[0] for row in statements.fetch_rows("busy_jobs", {"kinds": kinds_that_use_archive()})]


def _check_jobs() -> None:
    """Check again, now that a new job would wait for this transaction. Raises CannotChangeMonths."""
    if busy := _busy_jobs():
        raise CannotChangeMonths(f"These jobs began meanwhile: {', '.join(map(str, busy))}.")


def _exchange_tables(names: Sequence[str], past: Month, actor: Actor, reason: str) -> None:
    """Put partitioned tables in the place of the present ones, which become their first partition."""
    with as_owner():
        replace_tables(names, renamed=past.name_table)
        for name in names:
            part = past.name_table(name)
            attach_part(name, past)
            run_statement("ALTER TABLE {part} DROP CONSTRAINT {limit}", part=part, limit=limit_of(name))
        _record_change("partition_archive", past, actor, reason)


def _replace_empty(names: Sequence[str]) -> None:
    """
    Put partitioned tables with months in the place of empty ones.

    Raises:
        CannotChangeMonths: a table has pages.
    """
    with as_owner():
        for name in names:
            run_statement("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE", table=name)
            add_time(name)
        (with_pages,) = statements.only_row("with_pages", {"tables": names})
        if with_pages:
            raise CannotChangeMonths(f"These tables have pages: {', '.join(with_pages)}.")
        replace_tables(names, renamed=lambda name: f"{name}_plain")
        for name in names:
            run_statement("DROP TABLE {table}", table=f"{name}_plain")
        for month in _this_and_next_months(AHEAD):
            _create_partitions(names, month)


def _missing_months(ahead: int) -> list[Month]:
    """Return the months without tables, from this one on."""
    months = {each.month for each in sizes_of_months() if each.month}
    covered = max((month.end for month in months if not month.first), default=dt.date.min)
    return [
        month
        for month in _this_and_next_months(ahead)
        if month not in months and month.first and month.first >= covered
    ]


def _this_and_next_months(ahead: int) -> list[Month]:
    return [Month(*days) for days in statements.fetch_rows("months_to_make", {"ahead": ahead})]


def _create_partitions(names: Sequence[str], month: Month) -> None:
    with as_owner():
        for name in names:
            part, other = month.name_table(name), f"{name}_{OTHER}"
            run_statement(f"CREATE TABLE {{part}} {LIKE}", part=part, table=name)
            add_key(part, other)
            run_statement("LOCK TABLE {other} IN ACCESS EXCLUSIVE MODE", other=other)
            run_statement(
                "WITH moved AS (DELETE FROM {other} WHERE {archived_at} >= {first} AND {archived_at} < {end}"
                " RETURNING *) INSERT INTO {part} SELECT * FROM moved",
                part=part,
                other=other,
                **bounds_of(month),
            )
            attach_part(name, month)


def _record_change(action: str, month: Month, actor: Actor, reason: str) -> None:
    record_entry(actor=actor, action=action, reason=reason, details={"month": str(month)})
