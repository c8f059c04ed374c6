"""
The record of a kind of job, and of a job that does not exist yet. Pages, calls, checks and lists read
everything about the kind from it.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from messages_app.access.actors import Caller
from messages_app.jobs.kinds.options import Option
from messages_app.messages.attachment import Feature
from messages_app.shared.job_records import JobFilter, JobOptions
from messages_app.shared.job_states import StoreName


@dataclass(frozen=True, kw_only=True)
class KindWords:
    """
    The words for one kind of job on pages.

    Args:
        verb: the action, as on the start button.
        effect: a sentence about the work of such a job.
        done: the participle for a processed message, such as "restarted".
        doing: the participle for a running job.
        icon: a symbol of the icon sheet.
        name: the name of the kind, if the verb is not enough.
        handed_on: the participle for a message at the end of the job, if the store continues the work.
        everything: the set of a job without a filter; `everything_aged`: the same set with the {age} limit.
        narrowed: the words that {age} adds to a filter.
        offered: the label of the kind in the menu of a list, if it is not the verb.
        retried: the condition for failed messages to be in a retry.
        is_dangerous: the start button has the colour of dangerous actions.
    """

    verb: str
    done: str
    doing: str
    icon: str
    effect: str = ""
    name: str = ""
    handed_on: str = ""
    everything: str = "all messages"
    everything_aged: str = ""
    narrowed: str = ""
    offered: str = ""
    retried: str = "in the state they have at that time"
    is_dangerous: bool = False

    @property
    def heading(self) -> str:
        """The heading of pages that start such a job: Restart messages."""
        return self.name or f"{self.verb} messages"

    @property
    def result(self) -> str:
        """The participle for a message when the job ends."""
        return self.handed_on or self.done


class Rows(StrEnum):
    """The rows that a filter may select."""

    LIVE = "live"
    ARCHIVED = "archived"
    ANY = "any"


class Selects(StrEnum):
    """How the set is chosen."""

    FILTER = "filter"
    UNGROUPED_FAILURES = "ungrouped_failures"  # all failures that are in no group; the kind takes no filter


class Leaves(StrEnum):
    """
    The rules by which a job skips messages, in addition to messages of other active jobs. Estimates apply the
    same rules.
    """

    NOTHING = "nothing"
    RESENT = "resent"  # messages that were corrected and resent; not with the option `also_resent`
    LIVE_FAMILIES = "live_families"  # families of live messages that are not final or too young
    ARCHIVED_FAMILIES = "archived_families"  # families of archived messages that cannot be restored
    REFRESHES = (
        "refreshes"  # messages that may not be processed again, and refreshes of entities that are not named
    )


@dataclass(frozen=True, kw_only=True)
class KindSpec:
    """
    One kind of job. `jobs/engine/runner.py` names its driver, which runs it on Spark.

    Args:
        kind: the name in the API and in the database.
        permission: the permission to create such jobs, and to steer all of them.
        store: the name of the store whose rows are its items (jobs/stores/store.py).
        options: the options by name, in the order of the page.
        sensitive_options: the names of the options whose values are masked for users without `view_payload`,
            because they are parts of payloads.
        check_together: returns the option, code and sentence of a fault of options that are valid one by one.

        selects, rows: the rows that may be in the set. `needs_filter`: a job without a filter is refused.
        is_of_final: the filter may only ask for messages in final states.
        default_filter: added to filters that do not have these names.
        reads_parquet: the set includes messages in the Parquet files of the archive.
        uses_archive: the job moves or reads archived rows, so no month of the archive is detached during it.

        claims: the job changes rows, so other such jobs skip them until it has ended.
        feature: the feature of an attached console that such a job needs.
        is_guarded: a large job needs the password or a second person.
        changes_payloads: every job may need a second person (HUBCONSOLE_RESEND_GUARD).
        acts_on: returns the states of messages that the job changes; None: all states.
        leaves: the messages that the job skips, for estimates.
        moves_rows: the job moves rows to other tables or files, and its page counts them.
        makes_file: the result is a file, only for the creator of the job and administrators.
        is_final_at_once: no one processes the messages after the job, so failures are known immediately.

        undone_by: the kind that can undo the job; empty: it cannot be undone.
        is_retryable: another job can retry the failed messages.
        is_followed: the store continues to process the messages, and the job's page shows their current
            status.

        frees_space: the job frees space in the live tables. Its preview estimates the bytes, and the handover
            includes the job.
        shows_systems, shows_dry_run: the preview also shows the external systems that are called again, or a
            dry run of the first messages.
        is_undone_by_schedules: scheduled archive jobs may undo the job.
        compares: the job compares its messages with processed ones, so it cannot select these. It finds them
            by indexes of the console.
    """

    kind: str
    words: KindWords
    permission: str
    store: str = StoreName.MESSAGES
    options: Mapping[str, Option] = field(default_factory=dict)
    sensitive_options: Collection[str] = ()
    check_together: Callable[[Mapping[str, object]], tuple[str, str, str] | None] | None = None

    selects: Selects = Selects.FILTER
    rows: Rows = Rows.ANY
    needs_filter: bool = True
    is_of_final: bool = False
    default_filter: Mapping[str, str] = field(default_factory=dict)
    reads_parquet: bool = False
    uses_archive: bool = False

    claims: bool = True
    feature: Feature = Feature.ACT
    is_guarded: bool = True
    changes_payloads: bool = False
    acts_on: Callable[[], Collection[str]] | None = None
    leaves: Leaves = Leaves.NOTHING
    moves_rows: bool = False
    makes_file: bool = False
    is_final_at_once: bool = False

    undone_by: str = ""
    is_retryable: bool = True
    is_followed: bool = False

    shows_systems: bool = False
    frees_space: bool = False
    shows_dry_run: bool = False
    is_undone_by_schedules: bool = False
    compares: bool = False

    @property
    def has_age_limit(self) -> bool:
        return "older_than_months" in self.options

    @property
    def is_of_list(self) -> bool:
        """Whether a list of messages with the filter of the job has exactly the messages of its set."""
        return self.selects is Selects.FILTER and not self.has_age_limit

    @property
    def name(self) -> str:
        """The words for the kind, for example in the list of jobs."""
        return self.words.name or self.words.verb


@dataclass(frozen=True, kw_only=True)
class JobRequest:
    """
    A job that does not exist yet: its kind, its set and its options, for checks, previews and limits.

    Args:
        filter: as a job stores it: by the names of the list's filters, with absolute times.
        user: the user whose permissions decide about the filter; None: the console itself.
    """

    spec: KindSpec
    filter: JobFilter
    options: JobOptions
    user: Caller | None = None
