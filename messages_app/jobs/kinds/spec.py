"""What the console knows of a kind of job: one record, which every page, call, check and list reads."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from messages_app.jobs.kinds.options import Option
from messages_app.shared.job_states import StoreName


@dataclass(frozen=True, kw_only=True)
class KindWords:
    """
    One kind of job in words.

    Args:
        verb: what the job does, as a button says it.
        done: what a message is, once it is done.
        doing: what the job does, while it runs.
        icon: a symbol of the icon sheet.
        name: the kind by itself, where the verb alone does not say it.
        handed_on: what a message is when the job ends, where others do the work after it.
        everything: what a job without a filter is about; `everything_aged` says it with the {age} of a kind
            that has such a limit.
        narrowed: what {age} adds to a filter.
        retried: which of the messages that failed a retry has.
        is_dangerous: the button that starts it has the colour of danger.
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
    """Which rows a filter may mean."""

    LIVE = "live"
    ARCHIVED = "archived"
    ANY = "any"


class Selects(StrEnum):
    """How the set is chosen."""

    FILTER = "filter"
    UNGROUPED_FAILURES = "ungrouped_failures"  # all failures that are in no group; no filter is taken


class Leaves(StrEnum):
    """What a job leaves, besides rows that another job has: for estimates of it."""

    NOTHING = "nothing"
    LIVE_FAMILIES = "live_families"  # whole families of live messages that are not ready
    ARCHIVED_FAMILIES = "archived_families"  # whole families of archived messages that cannot come back
    REFRESHES = "refreshes"  # what may not be processed again, and refreshes of entities that are not named


@dataclass(frozen=True, kw_only=True)
class KindSpec:
    """
    One kind of job. What Spark does for it is in `jobs/drivers/`, by the same name.

    Args:
        kind: its name in the API and in the database.
        permission: what a user needs to create such a job, and to steer everybody's.
        store: whose rows its jobs are about.
        options: by name, in the order of the page.

        selects, rows: which rows a set may have. `needs_filter`: a job without a filter is refused.
        is_of_final: a filter may ask for messages in final states only.
        default_filter: what a filter gets that does not say otherwise.
        reads_parquet: its set has messages of the archive's Parquet files too.

        claims: it changes rows, so that another such job leaves them alone until it has ended.
        is_guarded: a large job needs the password or a second person.
        acts_on: gives the states in which it does something; None: all.
        leaves: what an estimate has to look up.
        moves_rows: rows go to other tables or files, and its page says how many of each.
        makes_file: its result is a file, which is its creator's and the administrators'.
        is_final_at_once: nothing is tried after it, so what failed has failed at once.

        undone_by: the kind that takes back what it did; empty: nothing can.
        is_retryable: another job can retry what failed in it.
        is_followed: what it did goes on in its store, and its page says what became of it.

        frees_room: it takes rows out of the live tables: its preview says how many bytes, the handover names
            it.
        tells_systems, is_rehearsed: what a preview says besides: the outside systems that are called again,
            and what the first messages would change.
        is_undone_by_schedules: what it did is what a schedule of archive jobs may take back.
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
        """The kind by itself, in words."""
        return self.words.name or self.words.verb
