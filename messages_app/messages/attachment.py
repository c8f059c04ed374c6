"""
The running hub that the console is attached to, and the one rule about what it cannot do there.

An attached console sees the hub's tables as views (messages_app/attach). Source: docs/howto/attach.md.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from time import monotonic

from django.conf import settings
from django.db import DatabaseError, Error, connection, models
from django.db.models import Q
from django.db.models.functions import Now
from psycopg import sql

from messages_app.core.clock import time_limit
from messages_app.core.problems import Problem
from messages_app.core.statements import Statements
from messages_app.shared.hub_names import LOCKED_BY
from messages_app.shared.hub_zones import mark_of_instants

statements = Statements("messages_app.messages")

NOT_ATTACHED_FOR_THIS = "not_attached_for_this"
_DEFAULT_RULES = "cleverbus"
# The table in which OpenHub has its settings, and the rule set of the releases with this table.
SETTINGS_TABLE = "configuration_item"
_RULES_WITH_SETTINGS = "openhub"
_SETTINGS = "SELECT code, coalesce(current_value, default_value) FROM {} WHERE code = ANY (%s)"
# A changed setting of the hub is noticed within this time, and its table may be locked for the other.
_SETTINGS_KEPT_SECONDS = 30
_SETTINGS_WAIT_MS = 1000
# A granted or revoked right, a new index, and settings that can be read again are noticed within this time.
_SECONDS_KEPT = 5
_MISSING_INDEXES = (
    "The tables of the hub lack the console's indexes: start with a message id, a correlation id or a state,"
    " or ask the owner of the tables to create them (`attach --create-indexes`)."
)
# Whether the console is attached, by database: a process reads it once.
attached_databases: dict[str, bool] = {}
# The settings of the hub by database and codes, each with the time until which they are not read again.
_settings: dict[tuple[str, tuple[str, ...]], tuple[float, Mapping[str, str | None] | None]] = {}


class Attachment(models.Model):
    """
    The hub of this installation: one row, or none if the console has its own tables.

    Attributes:
        archive_schema: the schema of its archive tables; empty without them.
        family: the label of the releases that have such tables (attach/layouts.py).
        rules: its rule set, which `HUB_RULES` must not contradict.
        time_zone: the zone of the hub's Java process, in which its tables have times.
        fingerprint: of the hub's catalog before anything was created on its tables.
        has_triggers: the hub's changes are recorded as it makes them.
        has_indexes: its tables have indexes of the console.
        missing_grants: the statements that would have given its role more rights when it was attached;
            None if an older version attached it.
    """

    id = models.SmallIntegerField(primary_key=True, default=1)
    hub_schema = models.TextField()
    archive_schema = models.TextField(blank=True)
    family = models.TextField()
    rules = models.TextField()
    time_zone = models.TextField()
    fingerprint = models.TextField()
    has_triggers = models.BooleanField()
    has_indexes = models.BooleanField(db_default=False)
    missing_grants = models.JSONField(null=True)
    attached_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "attachment"
        default_permissions = ()
        constraints = [models.CheckConstraint(condition=Q(id=1), name="attachment_is_one")]

    def __str__(self) -> str:
        return f"{self.family} in the schema {self.hub_schema}"


class Feature(StrEnum):
    """Features that an attached console lacks, as the end of a sentence."""

    ACT = "restart or cancel messages"
    ARCHIVE = "archive or restore messages"
    ARCHIVE_TO_TABLES = "archive messages to tables"
    COMPARE = "compare failing messages with processed ones"
    DEMO = "load or play the demo"
    ERASE = "erase the data of a subject"
    LIST_BY_CHANGE = "list messages by their last change"
    LOAD = "load messages"
    READ = "read messages"
    RECORD = "record changes of the hub immediately"
    RESEND = "correct and resend messages"


# A privilege on a table: the table, the word, and the column or "".
Right = tuple[str, str, str]


def _list_rights_of_moves(*words: str) -> tuple[Right, ...]:
    """Return privileges on all live and archive tables. UPDATE is that of the column that locks rows."""
    return tuple(
        (f"{prefix}{table}", word, column if word == "UPDATE" else "")
        for prefix in ("", "archive_")
        for table, column in LOCKED_BY.items()
        for word in words
    )


# The features that depend on the rights of the console on the hub's tables. It cannot do the others.
RIGHTS: Mapping[Feature, tuple[Right, ...]] = {
    Feature.READ: tuple(
        (f"{prefix}{table}", "SELECT", "") for prefix in ("", "archive_") for table in LOCKED_BY
    ),
    Feature.ACT: (
        ("message", "UPDATE", "state"),
        ("message", "UPDATE", "last_update_timestamp"),
        ("external_call", "DELETE", ""),
    ),
    Feature.ARCHIVE: _list_rights_of_moves("INSERT", "DELETE", "UPDATE"),
    Feature.ERASE: _list_rights_of_moves("DELETE", "UPDATE"),
    Feature.RECORD: (("message", "TRIGGER", ""),),
    Feature.RESEND: (
        ("message", "INSERT", ""),
        ("message", "UPDATE", "state"),
        ("message", "UPDATE", LOCKED_BY["message"]),
        ("funnel", "INSERT", ""),
    ),
}


class NotAttachedForThis(Problem):
    """
    The console is attached to a hub, on which it cannot do this.

    Args:
        lacking: the missing conditions, as clauses or statements.

    Attributes:
        script: the statements of `lacking`, which give the missing rights, one a line.
    """

    def __init__(self, feature: Feature, *lacking: str) -> None:
        self.script = "\n".join(f"{one};" for one in lacking if one.startswith("GRANT "))
        ending = f" without {'; '.join(lacking)}" if lacking else ""
        super().__init__(
            403 if lacking else 409,
            NOT_ATTACHED_FOR_THIS,
            f"This console is attached to a running hub, where it cannot {feature}{ending}.",
        )


def current_attachment() -> Attachment | None:
    """Return the hub that the console is attached to, or None."""
    return Attachment.objects.first()


def hub_time_zone() -> str | None:
    """Return the time zone of the attached hub's tables; None if the tables are the console's own."""
    hub = current_attachment()
    return hub.time_zone if hub else None


def time_zone() -> str:
    """Return `HUB_TIME_ZONE`; if it is not set, the zone of the attached hub, or else UTC."""
    return settings.HUB_TIME_ZONE or hub_time_zone() or "UTC"


@cache
def rules_of_hub(database: str) -> str:
    """Return the rule set of the attached hub, or the default one. A process reads it once."""
    hub = current_attachment()
    return hub.rules if hub else _DEFAULT_RULES


def refusal_of(feature: Feature) -> NotAttachedForThis | None:
    """Return why an attached console cannot do this, or None if it can or is not attached."""
    database = str(connection.settings_dict["NAME"])
    if not _is_attached(database):
        return None
    if feature not in RIGHTS:
        return NotAttachedForThis(feature)
    lacking = lacking_rights(feature)
    return NotAttachedForThis(feature, *lacking) if lacking else None


def refusal_of_denied(table: str) -> NotAttachedForThis | None:
    """
    Read the rights again, because the database has refused a statement.

    Args:
        table: the table of the error.

    Returns:
        The refusal that names the missing right on this table of the hub; None if no right is missing.
    """
    _list_missing_grants.cache_clear()
    refusals = (refusal_of(feature) for feature in RIGHTS)
    return next((each for each in refusals if each and f".{table} TO " in each.detail), None)


def lacking_rights(feature: Feature) -> list[str]:
    """Return the statements that grant the missing rights of a feature on the attached hub."""
    database = str(connection.settings_dict["NAME"])
    return _list_missing_grants(database, feature, int(monotonic() // _SECONDS_KEPT))


def is_attached() -> bool:
    """Whether the console is attached to a hub. A process asks the database once."""
    return _is_attached(str(connection.settings_dict["NAME"]))


def refuse_if_attached(feature: Feature) -> None:
    """
    Refuse what an attached console cannot do.

    Raises:
        NotAttachedForThis: the console is attached to a hub, and cannot do this there.
    """
    if refusal := refusal_of(feature):
        raise refusal


def has_indexes() -> bool:
    """Whether the tables have the console's indexes. Those of a hub may lack them."""
    database = str(connection.settings_dict["NAME"])
    return not _is_attached(database) or _has_indexes(database, int(monotonic() // _SECONDS_KEPT))


def has_index_of_changes(hub: Attachment) -> bool:
    """Whether the attached hub's messages have an index by the time of their last change."""
    return bool(statements.only_row("has_index_of_changes", {"time": mark_of_instants(hub.time_zone)})[0])


def missing_indexes() -> str:
    """Return a sentence about the indexes that the hub's tables lack, or an empty text."""
    try:
        return "" if has_indexes() else _MISSING_INDEXES
    except Error:  # The transaction has failed, or the session.
        return ""


def _is_attached(database: str) -> bool:
    if database not in attached_databases:
        attached_databases[database] = current_attachment() is not None
    return attached_databases[database]


@lru_cache(maxsize=len(Feature))
def _list_missing_grants(database: str, feature: Feature, period: int) -> list[str]:
    """Return the statements that grant the missing rights. Pages of many messages read them once."""
    tables, words, columns = zip(*RIGHTS[feature], strict=True)
    values = {
        "tables": list(tables),
        "words": list(words),
        "columns": list(columns),
        # Tasks of Spark, and a resend by a request, write to the tables themselves.
        "by_tasks": feature in {Feature.ARCHIVE, Feature.RESEND},
        "by_caller": feature == Feature.RESEND,
    }
    grants: list[str] = statements.fetch_column("lacking_rights", values)
    if feature == Feature.RESEND:
        grants += statements.fetch_column("lacking_sequence", {})
    return grants


def has_settings() -> bool:
    """Whether the console is attached to a hub with a table of its settings."""
    return rules_of_hub(str(connection.settings_dict["NAME"])) == _RULES_WITH_SETTINGS


def settings_of_hub(codes: tuple[str, ...]) -> Mapping[str, str | None] | None:
    """
    Return the settings of the attached hub like `read_settings`. A process reads them twice a minute, and
    every few seconds while it cannot.
    """
    key = (str(connection.settings_dict["NAME"]), codes)
    until, values = _settings.get(key, (0.0, None))
    if monotonic() < until:
        return values
    hub = current_attachment()
    values = read_settings(hub.hub_schema, codes) if hub else None
    seconds = _SECONDS_KEPT if values is None else _SETTINGS_KEPT_SECONDS
    _settings[key] = (monotonic() + seconds, values)
    return values


def read_settings(schema: str, codes: Sequence[str]) -> Mapping[str, str | None] | None:
    """
    Return the values of settings by code. Settings are left out if the hub's table lacks them.

    Returns:
        None if the console may not read the table, or if it is locked or missing.
    """
    table = sql.Identifier(schema, SETTINGS_TABLE)
    try:
        with time_limit(_SETTINGS_WAIT_MS), connection.cursor() as cursor:
            cursor.execute(sql.SQL(_SETTINGS).format(table), [list(codes)])
            return dict(cursor.fetchall())
    except DatabaseError:
        return None


@lru_cache(maxsize=1)
def _has_indexes(database: str, period: int) -> bool:
    return bool(statements.only_row("has_indexes", {})[0])


def forget_attachment() -> None:
    """Let this process read attachment, rights and settings again. Others start after `attach`."""
    attached_databases.pop(str(connection.settings_dict["NAME"]), None)
    rules_of_hub.cache_clear()
    _list_missing_grants.cache_clear()
    _settings.clear()
    _has_indexes.cache_clear()
