"""The words for jobs on pages: titles, filters, options, outcomes and reasons."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

from messages_app.core.charts.bars import Share, make_shares
from messages_app.core.filters import moments
from messages_app.core.formatting import join_with_commas
from messages_app.core.query_language.vocabulary import Vocabulary
from messages_app.jobs.kinds.options import months_words, value_words
from messages_app.jobs.kinds.registry import spec_of
from messages_app.jobs.kinds.spec import KindSpec, KindWords
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.stores import store_of
from messages_app.jobs.stores.store import list_address
from messages_app.messages.filters.message_filter import ANYWHERE, ARCHIVED
from messages_app.shared.job_records import Given, JobReport
from messages_app.shared.job_states import FailReason, SkipReason, StoreName, outcome_kind

# The option with the age limit.
OLDER_THAN = "older_than_months"

# Reasons why a message is not in a job's set: too young for an archive job, or in Parquet files, which
# exports skip.
NOT_OLD_ENOUGH, IN_PARQUET = "not_old_enough", "in_parquet"

REASONS: Mapping[str, str] = {
    SkipReason.STATE_CONFLICT: "Its state does not allow it",
    SkipReason.IN_JOB: "Another active job has it",
    SkipReason.FAMILY_NOT_FINAL: "A parent or child is still in progress",
    SkipReason.FAMILY_TOO_YOUNG: "A parent or child ended after the limit",
    SkipReason.PARENT_CYCLE: "Cyclic parent links",
    SkipReason.MOVED_ON: "Changed after it was selected",
    SkipReason.ARCHIVED: "Archived after it was selected",
    SkipReason.VANISHED: "Deleted by the hub after it was selected",
    SkipReason.NO_KEY: "Its operation has no active business key, or its payload no value of one",
    SkipReason.LOCKED: "Locked by the hub or another user",
    SkipReason.STOPPED: "The job was stopped first",
    SkipReason.MSG_ID_LIVE: "A live message has the same id",
    SkipReason.CORRELATION_ID_LIVE: "A live message has its correlation id and source system",
    SkipReason.CALL_LIVE: "A live external call has the key of one of its calls",
    SkipReason.REFRESH: "It refreshes an entity that the job does not include",
    SkipReason.FAMILY_STAYS: "A parent or child cannot be restored",
    SkipReason.UNCHANGED: "The correction does not change its payload",
    SkipReason.ALREADY_RESENT: "It was corrected and resent before",
    SkipReason.MASKED: "Its payload has masked values",
    SkipReason.NOT_WELL_FORMED: "The corrected payload would not be well-formed",
    SkipReason.TOO_LARGE: "Its payload is too large to be corrected",
    FailReason.TOO_SLOW: "The database took too long",
    FailReason.NOT_REACHED: "The job failed before",
    FailReason.RIGHT_LOST: "The creator of the job lost the permission",
    FailReason.FILE_UNREADABLE: "A file of the Parquet archive is missing or damaged",
    FailReason.PAYLOAD_UNREADABLE: "Its payload, or the path of a business key, cannot be read",
    FailReason.TRIGGER: "A trigger of the hub refused the change, or left it out",
    FailReason.COLUMNS_DIFFER: "The archive has a column missing from the live table",
    NOT_OLD_ENOUGH: "Final, but not old enough",
    IN_PARQUET: "Messages archived to Parquet are not part of this export; restore them first",
}


_REVERTING = KindWords(verb="Undo", done="reverted", doing="Reverting", icon="undo")
_FLAGS = {"true": "yes", "false": "no"}


def reason_words(reason: str) -> str:
    """
    Return a reason as a sentence. Unknown reasons, such as names of constraints, are returned unchanged.
    """
    return REASONS.get(reason, reason)


def kept_words(report: JobReport) -> list[tuple[str, int | None]]:
    """
    Return (reason, messages) for the messages that a report counts as outside of the set; None: not known.
    """
    counts: Mapping[str, int | None] = report.get("kept") or {}
    return [(reason_words(reason), count) for reason, count in counts.items() if count != 0]


def outcome_words(outcome: str | None) -> tuple[str, str]:
    """Return an item's outcome as (kind, reason in words); ("", "") while the item is open."""
    if outcome is None:
        return "", ""
    return outcome_kind(outcome), reason_words(outcome.partition(":")[2])


def title_of(job: Job) -> str:
    """Return the title of a job, such as "Restart from scratch" or "Undo job 7"."""
    spec = spec_of(job.kind)
    if job.undo_of is not None:
        return f"Undo job {job.undo_of}"
    if job.retry_of is not None:
        return f"{spec.words.verb} failed messages again"
    return f"{spec.name} from scratch" if job.options.get("total") else spec.name


def words_of(job: Job) -> KindWords:
    """Return the words of a job's kind, or those for an undo by a job of the same kind."""
    spec = spec_of(job.kind)
    return _REVERTING if job.undo_of is not None and spec.undone_by == job.kind else spec.words


def icon_of(job: Job) -> str:
    """Return the icon of a job: that of its kind, or that of an undo."""
    return spec_of(job.kind).words.icon if job.undo_of is None else "undo"


def filter_words(kind: str, filter: Given) -> list[tuple[str, str]]:
    """
    Return (label, value) of each part of a job's filter, in the order of the list. Times are shown as stored.

    A time range that is relative to each run of a schedule is one part, in words, at the end.
    """
    return list(_filter_words(store_of(kind).vocabulary, filter))


def _filter_words(vocabulary: Vocabulary, filter: Given) -> Iterator[tuple[str, str]]:
    ranges = [
        ends for ends in vocabulary.bounds if any(moments.is_relative(str(filter.get(name))) for name in ends)
    ]
    for name, label in vocabulary.labels.items():
        is_told = any(name in ends for ends in ranges)
        if name in filter and not is_told and not (name == ARCHIVED and str(filter[name]).lower() == "true"):
            one = vocabulary.filters[name]
            if name == ARCHIVED and filter[name] == ANYWHERE:
                yield "Messages", "live and archived"
                continue
            yield label, _value_words(filter[name], is_list=one.repeatable and not one.is_text_list)
    for ends in ranges:
        yield (
            vocabulary.label_of(ends[0]),
            moments.describe_range(*(str(filter.get(name, "")) for name in ends)),
        )


def _value_words(value: object, *, is_list: bool) -> str:
    if isinstance(value, list):
        return join_with_commas(value)
    text = str(value)
    return join_with_commas(text.split(",")) if is_list else _FLAGS.get(text.lower(), text)


def list_query(filter: Given) -> str:
    """Return the query string of the store's list for a job's filter."""
    return urlencode(filter, doseq=True)


def link_of_job(job: Job, filter: Given) -> str:
    """Return the address of the list of a job's messages, which it may have moved to the archive or back."""
    spec = spec_of(job.kind)
    may_have_moved = spec.moves_rows and spec.store == StoreName.MESSAGES and not job.dry_run
    return list_link(job.kind, {**filter, ARCHIVED: ANYWHERE} if may_have_moved else filter)


def list_link(kind: str, filter: Given) -> str:
    """Return the address of the store's list for a job's filter."""
    return list_address(store_of(kind), list_query(filter))


# Digits may be grouped: 12 400, 12,400 or 12'400.
BETWEEN_DIGITS = re.compile(r"[\s\u202f.,'_]")


def option_words(kind: str, options: Given) -> list[tuple[str, str]]:
    """
    Return (label, value) of each option that is set. Unknown options, for example from another release, are
    returned unchanged.
    """
    of_kind = spec_of(kind).options
    return [
        (of_kind[name].label, of_kind[name].in_words(value))
        if name in of_kind
        else (name, value_words(value))
        for name, value in options.items()
        if value is not None and value is not False and value != []
    ]


def describe_set(spec: KindSpec, months: object) -> dict[str, str]:
    """Return the words for the set of a job without a filter, and for its age limit."""
    words, age = spec.words, months_words(months)
    if not spec.has_age_limit or not months:
        return {"everything": words.everything, "narrowed": ""}
    return {"everything": words.everything_aged.format(age=age), "narrowed": words.narrowed.format(age=age)}


def describe_action(kind: str, filter: Given, options: Given) -> str:
    """
    Return the action of a job and its set, such as "Archive final messages older than 3 months" or
    "Restart messages: State FAILED, Service billing".
    """
    spec = spec_of(kind)
    of_set = describe_set(spec, options.get(OLDER_THAN))
    parts = [f"{label} {value}" for label, value in filter_words(kind, filter)]
    if not parts:
        return f"{spec.words.verb} {of_set['everything']}"
    age = [of_set["narrowed"]] if of_set["narrowed"] else []
    return f"{spec.words.verb} messages: {', '.join([*parts, *age])}"


_OUTCOMES = ("done", "skipped", "failed")


def percent_of(progress: JobProgress) -> int | None:
    """
    Return the share of the planned messages that have an outcome, in whole percent.

    None while nothing is planned, and for a dry run.
    """
    if not progress.planned or progress.job.dry_run:
        return None
    return 100 * (progress.planned - progress.left) // progress.planned


def shares_of(progress: JobProgress) -> list[Share]:
    """Return the parts of a job's bar, done first; the rest of the bar is open. Empty for a dry run."""
    if not progress.planned or progress.job.dry_run:
        return []
    return make_shares([(name, getattr(progress, name)) for name in _OUTCOMES], whole=progress.planned)
