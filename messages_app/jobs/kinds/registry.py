"""The kinds of jobs, in the order in which pages show them."""

from messages_app.access import roles
from messages_app.business_keys.registration import CAN_CHANGE_KEYS
from messages_app.jobs.kinds.analysis_options import COMPARE_WITH, DEFINITION_ID
from messages_app.jobs.kinds.correction_options import CORRECTIONS, check_correction
from messages_app.jobs.kinds.options import (
    ALSO_RESENT,
    FORMAT,
    GUARDS,
    OLDER_THAN_MONTHS,
    PAYLOAD,
    RATE,
    REFRESH_ENTITIES,
    TO,
    TOTAL,
)
from messages_app.jobs.kinds.spec import KindSpec, KindWords, Leaves, Rows, Selects
from messages_app.message_store.registration import CAN_REPROCESS
from messages_app.messages.attachment import (
    Feature,
    NotAttachedForThis,
    current_attachment,
    has_indexes,
    is_attached,
    refusal_of,
)
from messages_app.messages.services import hub_rules
from messages_app.shared.job_records import JobOptions
from messages_app.shared.job_states import JobKind, StoreName
from messages_app.shared.message_states import FINAL_STATES, MessageAction, MessageState

ARCHIVE = KindSpec(
    kind=JobKind.ARCHIVE,
    words=KindWords(
        verb="Archive",
        done="archived",
        doing="Archiving",
        icon="archive",
        effect="Moves final messages with their families to the archive.",
        everything="all final messages",
        everything_aged="final messages older than {age}",
        narrowed="final, older than {age}",
        retried="that are final and old enough at that time, with their families",
    ),
    permission=roles.CAN_ARCHIVE,
    uses_archive=True,
    options={"older_than_months": OLDER_THAN_MONTHS, "to": TO},
    rows=Rows.LIVE,
    needs_filter=False,
    is_of_final=True,
    acts_on=lambda: FINAL_STATES,
    leaves=Leaves.LIVE_FAMILIES,
    moves_rows=True,
    undone_by=JobKind.RESTORE,
    frees_space=True,
)

RESTORE = KindSpec(
    kind=JobKind.RESTORE,
    words=KindWords(
        verb="Restore",
        done="restored",
        doing="Restoring",
        icon="undo",
        effect="Brings whole families back from the archive.",
        retried="that are archived at that time, with their families",
    ),
    permission=roles.CAN_ARCHIVE,
    uses_archive=True,
    rows=Rows.ARCHIVED,
    reads_parquet=True,
    leaves=Leaves.ARCHIVED_FAMILIES,
    moves_rows=True,
    is_undone_by_schedules=True,
)

RESTART = KindSpec(
    kind=JobKind.RESTART,
    words=KindWords(
        verb="Restart",
        done="restarted",
        doing="Restarting",
        icon="restart",
        effect="Hands messages back to the hub for another attempt.",
    ),
    permission=roles.CAN_RESTART,
    options={"total": TOTAL, "also_resent": ALSO_RESENT, **GUARDS},
    leaves=Leaves.RESENT,
    rows=Rows.LIVE,
    acts_on=lambda: hub_rules().allowed_from(MessageAction.RESTART),
    is_followed=True,
    shows_systems=True,
)

CANCEL = KindSpec(
    kind=JobKind.CANCEL,
    words=KindWords(
        verb="Cancel",
        done="cancelled",
        doing="Cancelling",
        icon="cancel",
        effect="Cancels messages.",
        is_dangerous=True,
    ),
    permission=roles.CAN_CANCEL,
    options=GUARDS,
    rows=Rows.LIVE,
    acts_on=lambda: hub_rules().allowed_from(MessageAction.CANCEL),
    is_final_at_once=True,
    undone_by=JobKind.CANCEL,
    is_followed=True,
)

REPROCESS = KindSpec(
    kind=JobKind.REPROCESS,
    words=KindWords(
        verb="Reprocess",
        done="reprocessed",
        doing="Reprocessing",
        icon="restart",
        effect="Processes messages of the message store again.",
        handed_on="queued for reprocessing",
    ),
    permission=CAN_REPROCESS,
    store=StoreName.MESSAGE_STORE,
    options={"refresh_entities": REFRESH_ENTITIES, **GUARDS},
    # Muted messages are left out unless the filter asks for them.
    default_filter={"muted": "false"},
    leaves=Leaves.REFRESHES,
    is_followed=True,
    shows_dry_run=True,
)

EXPORT = KindSpec(
    kind=JobKind.EXPORT,
    words=KindWords(
        verb="Export",
        done="exported",
        doing="Exporting",
        icon="download",
        effect="Writes messages to a file without changing them.",
    ),
    permission=roles.CAN_VIEW_MESSAGES,
    uses_archive=True,
    options={"format": FORMAT, "payload": PAYLOAD},
    claims=False,
    is_guarded=False,
    makes_file=True,
    # An export has a complete file or none, so users start it again instead of retrying it.
    is_retryable=False,
)

ARCHIVE_HISTORY = KindSpec(
    kind=JobKind.ARCHIVE_HISTORY,
    words=KindWords(
        verb="Archive attempts of",
        done="reduced to their newest attempt",
        doing="Archiving",
        icon="archive",
        effect="Moves old attempts of the message store into their archive.",
        name="Archive old attempts",
        everything="all messages, except the newest attempt of each",
        everything_aged="all messages that are older than {age}, except the newest attempt of each",
    ),
    permission=roles.CAN_ARCHIVE,
    store=StoreName.MESSAGE_STORE,
    options={"older_than_months": OLDER_THAN_MONTHS},
    needs_filter=False,
    claims=False,
    moves_rows=True,
)

GROUP_FAILURES = KindSpec(
    kind=JobKind.GROUP_FAILURES,
    words=KindWords(
        verb="Group",
        done="grouped",
        doing="Grouping",
        icon="filter",
        effect="Groups failures from before the console was installed, in one transaction without a ledger.",
        name="Group failures",
        everything=(
            "all failures, live and archived, that are not in a group yet; the number below is the maximum"
        ),
    ),
    permission=roles.CAN_CHANGE_GROUPS,
    uses_archive=True,
    selects=Selects.UNGROUPED_FAILURES,
    needs_filter=False,
    reads_parquet=True,
    claims=False,
    is_guarded=False,
    is_retryable=False,
)

ANALYSE = KindSpec(
    kind=JobKind.ANALYSE,
    words=KindWords(
        verb="Compare",
        done="compared",
        doing="Comparing with processed messages",
        icon="search",
        effect="Finds what failing messages have in common, without changing them.",
        name="Find what failures have in common",
        offered="What do they have in common?",
    ),
    permission=roles.CAN_VIEW_MESSAGES,
    options={"compare_with": COMPARE_WITH},
    rows=Rows.LIVE,
    default_filter={"state": MessageState.FAILED},
    acts_on=lambda: frozenset(MessageState) - {MessageState.OK},
    claims=False,
    is_guarded=False,
    # Nothing fails for one message, so users start it again instead of retrying it.
    is_retryable=False,
    compares=True,
)

INDEX_KEYS = KindSpec(
    kind=JobKind.INDEX_KEYS,
    words=KindWords(
        verb="Index keys of",
        done="indexed",
        doing="Reading payloads",
        icon="search",
        effect="Stores the business keys of messages that are already there, without changing them.",
        name="Index business keys",
        everything="all messages, live and archived",
    ),
    permission=CAN_CHANGE_KEYS,
    reads_parquet=True,
    uses_archive=True,
    options={"definition_id": DEFINITION_ID, "rate": RATE},
    needs_filter=False,
    default_filter={"archived": "any"},
    claims=False,
    is_guarded=False,
)

RESEND = KindSpec(
    kind=JobKind.RESEND,
    words=KindWords(
        verb="Resend",
        done="resent",
        doing="Resending",
        icon="restart",
        effect="Corrects the payloads of failed messages and sends them as new messages.",
        name="Correct and resend",
        is_dangerous=True,
    ),
    permission=roles.CAN_EDIT_PAYLOAD,
    options={**CORRECTIONS, "rate": RATE},
    sensitive_options=("find", "replace", "path", "value"),
    check_together=check_correction,
    rows=Rows.LIVE,
    acts_on=lambda: hub_rules().resend_from,
    is_final_at_once=True,
    changes_payloads=True,
    feature=Feature.RESEND,
)

kind_specs: dict[str, KindSpec] = {
    spec.kind: spec
    for spec in (
        ARCHIVE,
        RESTORE,
        RESTART,
        CANCEL,
        RESEND,
        REPROCESS,
        EXPORT,
        ANALYSE,
        INDEX_KEYS,
        ARCHIVE_HISTORY,
        GROUP_FAILURES,
    )
}


def spec_of(kind: str) -> KindSpec:
    """
    Return the record of a kind of job.

    An unknown kind, from another release or edited in the database, gets a record that lets pages show the
    job and allows nothing else.
    """
    if kind in kind_specs:
        return kind_specs[kind]
    return KindSpec(
        kind=kind,
        words=KindWords(verb=kind, done="done", doing="Working", icon="jobs"),
        permission=roles.CAN_VIEW_JOBS,
        is_guarded=False,
        is_retryable=False,
    )


def refusal_of_kind(kind: str, options: JobOptions | None = None) -> NotAttachedForThis | None:
    """
    Return why an attached console cannot run jobs of this kind, or None.

    Args:
        options: of one job, which may need more than other jobs of its kind.
    """
    spec = spec_of(kind)
    if spec.store != StoreName.MESSAGES:
        return None
    if spec.compares and not has_indexes():
        return NotAttachedForThis(Feature.COMPARE, "the indexes that `attach --create-indexes` creates")
    if not spec.moves_rows:
        return refusal_of(spec.feature) if spec.claims else None
    if refusal := refusal_of(Feature.ARCHIVE):
        return refusal
    if kind != JobKind.ARCHIVE or options is None or options.get("to") == "parquet":
        return None
    hub = current_attachment() if is_attached() else None
    if hub is None or hub.archive_schema:
        return None
    return NotAttachedForThis(Feature.ARCHIVE_TO_TABLES, "archive tables of the hub: archive to Parquet")


def refuse_kind(kind: str, options: JobOptions | None = None) -> None:
    """
    Refuse jobs that an attached console cannot run.

    Raises:
        NotAttachedForThis: it cannot.
    """
    if refusal := refusal_of_kind(kind, options):
        raise refusal


def kinds_of(store: str) -> tuple[str, ...]:
    """Return the kinds of jobs whose items are rows of this store."""
    return tuple(spec.kind for spec in kind_specs.values() if spec.store == store)


def file_kinds() -> list[str]:
    """Return the kinds whose jobs write files of messages."""
    return [spec.kind for spec in kind_specs.values() if spec.makes_file]


def kinds_that_use_archive() -> list[str]:
    """Return the kinds whose jobs move or read archived rows."""
    return [spec.kind for spec in kind_specs.values() if spec.uses_archive]


def kinds_undone_by(kind: str) -> list[str]:
    """Return the kinds of jobs that a job of this kind can undo."""
    return [spec.kind for spec in kind_specs.values() if spec.undone_by == kind]


def archiving_kinds() -> list[str]:
    """Return the kinds whose jobs move messages to the archive."""
    return kinds_undone_by(JobKind.RESTORE)


def rivals_of(kind: str) -> tuple[str, ...]:
    """
    Return the kinds that change rows of the same store. A row can be in only one of their jobs at a time.
    """
    store = spec_of(kind).store
    return tuple(spec.kind for spec in kind_specs.values() if spec.claims and spec.store == store)
