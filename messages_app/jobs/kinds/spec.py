"""The record of a kind of job, which all pages, calls, checks and lists read."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from messages_app.jobs.kinds.options import Option
from messages_app.shared.job_states import StoreName


@dataclass(frozen=True, kw_only=True)
class KindWords:
    """
    The words for one kind of job.

    Args:
        verb: what the job does, as on its button.
        done: what a message is when the job has processed it.
        doing: what the job does while it runs.
        icon: a symbol of the icon sheet.
        name: the name of the kind, if the verb alone is not enough.
        handed_on: what a message is when the job ends, if others continue the work.
        everything: the set of a job without a filter; `everything_aged`: the same with the {age} limit.
        narrowed: what {age} adds to a filter.
        retried: which of the failed messages a retry includes.
        is_dangerous: its start button has the colour for dangerous actions.
    """

    verb: str
    done: str
    doing: str
    icon: str
    name: str = ""
    handed_on: str = ""
    everything: str = "all messages"
    everything_aged: str = ""
    narrowed: str = ""
    retried: str = "in the state they have at that time"
    is_dangerous: bool = False

    @property
    def result(self) -> str:
        """What a message is when the job ends."""
        return self.handed_on or self.done


class Rows(StrEnum):
    """The rows that a filter may select."""

    LIVE = "live"
    ARCHIVED = "archived"
    ANY = "any"


class Selects(StrEnum):
    """How the set is chosen."""

    FILTER = "filter"
    UNGROUPED_FAILURES = "ungrouped_failures"  # all failures that are in no group; no filter is taken


class Leaves(StrEnum):
    """What a job skips in addition to rows that another job has. Estimates look these up."""

    NOTHING = "nothing"
    LIVE_FAMILIES = "live_families"  # families of live messages that are not final or too young
    ARCHIVED_FAMILIES = "archived_families"  # families of archived messages that cannot be restored
    REFRESHES = (
        "refreshes"  # messages that may not be processed again, and refreshes of entities that are not named
    )


@dataclass(frozen=True, kw_only=True)
class KindSpec:
    """
    One kind of job. `jobs/drivers/registry.py` names its driver, which runs it on Spark.

    Args:
        kind: its name in the API and in the database.
        permission: what a user needs to create such jobs, and to steer all of them.
        store: the store whose rows are its items.
        options: by name, in the order of the page.

        selects, rows: the rows that a set may have. `needs_filter`: a job without a filter is refused.
        is_of_final: a filter may ask for messages in final states only.
        default_filter: added to filters that do not have these names.
        reads_parquet: its set includes messages in the Parquet files of the archive.

        claims: it changes rows, so other such jobs skip them until it has ended.
        is_guarded: a large job needs the password or a second person.
        acts_on: returns the states in which it changes messages; None: all.
        leaves: what it skips, for estimates.
        moves_rows: it moves rows to other tables or files, and its page counts them.
        makes_file: its result is a file, for its creator and administrators only.
        is_final_at_once: its messages are not tried again after it, so failures are known immediately.

        undone_by: the kind that can undo it; empty: it cannot be undone.
        is_retryable: another job can retry its failed messages.
        is_followed: the store continues to process its messages, and its page shows their current status.

        frees_room: it frees space in the live tables: its preview estimates the bytes, and the handover names
        it.
        tells_systems, is_rehearsed: its preview also shows the external systems that are called again, or a
        dry run of the first messages.
        is_undone_by_schedules: scheduled archive jobs may undo it.
    """

    kind: str
    words: KindWords
    permission: str
    store: StoreName = StoreName.MESSAGES
    options: Mapping[str, Option] = field(default_factory=dict)

    selects: Selects = Selects.FILTER
    rows: Rows = Rows.ANY
    needs_filter: bool = True
    is_of_final: bool = False
    default_filter: Mapping[str, str] = field(default_factory=dict)
    reads_parquet: bool = False

    claims: bool = True
    is_guarded: bool = True
    acts_on: Callable[[], Collection[str]] | None = None
    leaves: Leaves = Leaves.NOTHING
    moves_rows: bool = False
    makes_file: bool = False
    is_final_at_once: bool = False

    undone_by: str = ""
    is_retryable: bool = True
    is_followed: bool = False

    tells_systems: bool = False
    frees_room: bool = False
    is_rehearsed: bool = False
    is_undone_by_schedules: bool = False

    @property
    def has_age_limit(self) -> bool:
        return "older_than_months" in self.options

    @property
    def name(self) -> str:
        """The kind in words."""
        return self.words.name or self.words.verb
