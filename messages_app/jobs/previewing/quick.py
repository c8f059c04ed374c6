"""
The first answer to "what would this job do": within two seconds, however many messages, whatever the filter.

Small sets are read whole; of large ones a sample is, and each figure says which it is. Nothing is written,
nothing is scanned, nothing waits: what is not known in time is left open. The exact figures come from the dry
run of the job itself. Source: research/consoles.md (c) 2; DESIGN.md "Budgets".
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from django.utils import timezone

from messages_app.jobs.previewing.again import systems_called
from messages_app.jobs.previewing.deadline import Deadline
from messages_app.jobs.previewing.looking import Look, Seen, look_into
from messages_app.jobs.previewing.pace import pace_of
from messages_app.jobs.previewing.sets import cutoff_of, filter_of, in_parquet, kept_for_age, pieces
from messages_app.jobs.previewing.skips import Skips, skips_of
from messages_app.jobs.previewing.space import bytes_a_message
from messages_app.jobs.showing.words import IN_PARQUET, NOT_OLD_ENOUGH
from messages_app.jobs.states import JobKind
from messages_app.messages.filtering.filters import MessageFilter
from messages_app.messages.services import rules
from messages_app.messages.states import FINAL_STATES, MessageAction

SECONDS = 1.7
_SAMPLES = 10
_MOST_GROUPS = 100
# What these may do hangs on a message's state.
_CHANGING = frozenset({JobKind.RESTART, JobKind.CANCEL})
_COUNTED = {
    "by_state": "state",
    "by_service": "service_name",
    "by_error": "failed_error_code",
    "by_funnel": "funnel_component_id",
}


@dataclass(frozen=True, kw_only=True)
class Basis:
    """
    What a figure rests on.

    Args:
        is_exact: it is counted, and as of the moment of the preview; else it is an estimate.
        looked_at: rows that were read for it.
    """

    is_exact: bool
    looked_at: int


@dataclass(frozen=True, kw_only=True)
class QuickPreview:
    """
    What a job would do now.

    Args:
        at: when it was looked.
        planned: messages of the set, the ones that would be skipped included.
        to_do: messages that would not be skipped.
        by_state, by_service, by_error, by_funnel: messages of the set, the 100 largest groups of each, a
            missing value as an empty text.
        skipped: messages by SkipReason.
        kept: about how many messages are not in the set, by reason: final ones that are not_old_enough for
            the archive, archived ones in_parquet that an export does not read; None: not known in time.
        systems: of a restart, by outside system how many calls are skipped, sent_again, of these repeated
            (they went through before), and how many messages asked_before; None: not known in time.
        samples: ten ids of messages that would be done.
        seconds: how long it will take; None: no job of the kind has run yet.
        rate: messages a second that this rests on; `rate_is_chosen`: the one asked for, else a measured one.
        bytes: what an archive job takes out of the live tables; None: of another kind, or not known.
        basis: what `counts`, `skipped`, `systems`, `bytes` and `seconds` rest on.
    """

    kind: str
    at: datetime
    planned: int
    to_do: int
    by_state: dict[str, int]
    by_service: dict[str, int]
    by_error: dict[str, int]
    by_funnel: dict[str, int]
    skipped: dict[str, int]
    kept: dict[str, int | None]
    systems: dict[str, dict[str, int]] | None
    samples: list[int]
    seconds: float | None
    rate: float | None
    rate_is_chosen: bool
    bytes: int | None
    basis: dict[str, Basis]

    @property
    def is_exact(self) -> bool:
        """Whether the counts of the set are exact."""
        return self.basis["counts"].is_exact

    def as_report(self) -> dict[str, object]:
        """Return it as JSON has it: `report.estimate` of a dry run."""
        return asdict(self) | {"at": self.at.isoformat(), "is_exact": self.is_exact}


def quick_preview(
    *,
    kind: str,
    filter: Mapping[str, object],
    options: Mapping[str, object],
    user: object | None,
    seconds: float = SECONDS,
) -> QuickPreview:
    """
    Return what a job would do, as far as is known within `seconds`.

    Args:
        filter, options: as create_job takes them; options that are left out have their defaults.
        user: whose filters there are, None for the console itself.

    Raises:
        Problem: 400, a parameter of the filter is wrong.
        django.db.OperationalError: the database does not even plan a query in that time.
    """
    deadline = Deadline(seconds)
    filters = filter_of(filter, kind=kind, user=user)
    cutoff = cutoff_of(kind, options)
    allowed = _allowed(kind)
    acted_on = allowed if kind in _CHANGING else ()
    found = pieces(filters, cutoff=cutoff, acted_on=acted_on, with_parquet=kind == JobKind.RESTORE)
    look = look_into(found, deadline)
    skips = skips_of(kind, look.seen, allowed=allowed, cutoff=cutoff, deadline=deadline)
    skipped = {str(reason): round(number) for reason, number in skips.counts.items()}
    to_do = max(0, round(look.messages) - sum(skipped.values()))
    pace = pace_of(kind, options.get("rate"))
    again = _again(kind, options, skips.doing, deadline)
    weight = bytes_a_message() if kind == JobKind.ARCHIVE else None
    return QuickPreview(
        kind=kind,
        at=timezone.now(),
        planned=round(look.messages),
        to_do=to_do,
        **{name: _groups(look, column) for name, column in _COUNTED.items()},
        skipped=skipped,
        kept=_kept(kind, filters, cutoff, deadline),
        systems=again and again[0],
        samples=_samples(skips.doing),
        seconds=pace.seconds_for(to_do),
        rate=pace.rate,
        rate_is_chosen=pace.is_chosen,
        bytes=None if weight is None else round(weight * to_do),
        basis=_basis(look, skips, looked_for_systems=again[1] if again else 0),
    )


def _kept(
    kind: str, filters: MessageFilter, cutoff: datetime | None, deadline: Deadline
) -> dict[str, int | None]:
    kept: dict[str, int | None] = {}
    if cutoff is not None:
        kept[NOT_OLD_ENOUGH] = kept_for_age(cutoff)
    if kind == JobKind.EXPORT:
        kept |= kept_in_parquet(filters, deadline)
    return kept


def kept_in_parquet(filters: MessageFilter, deadline: Deadline) -> dict[str, int | None]:
    """Return how many messages an export leaves in Parquet files, None where that is not known in time."""
    cold = deadline.within(lambda: in_parquet(filters))
    return {} if cold == 0 else {IN_PARQUET: cold}


def _again(
    kind: str, options: Mapping[str, object], doing: list[Seen], deadline: Deadline
) -> tuple[dict[str, dict[str, int]], int] | None:
    if kind != JobKind.RESTART:
        return None
    return systems_called(doing, total=bool(options.get("total")), deadline=deadline)


def _allowed(kind: str) -> Collection[str] | None:
    if kind == JobKind.ARCHIVE:
        return FINAL_STATES
    if kind in _CHANGING:
        return rules().allowed_from(MessageAction(kind))
    return None


def _groups(look: Look, column: str) -> dict[str, int]:
    counts: dict[str, float] = {}
    for each in look.seen:
        name = getattr(each, column) or ""
        counts[name] = counts.get(name, 0) + each.weight
    largest = sorted(counts.items(), key=lambda group: (-group[1], group[0]))[:_MOST_GROUPS]
    return {name: round(number) for name, number in largest}


def _samples(doing: list[Seen]) -> list[int]:
    """Return ids spread over what was looked at."""
    ids = sorted(each.msg_id for each in doing)
    step = max(1, len(ids) // _SAMPLES)
    return ids[::step][:_SAMPLES]


def _basis(look: Look, skips: Skips, *, looked_for_systems: int) -> dict[str, Basis]:
    are_counted = look.is_exact and skips.is_exact
    return {
        "counts": Basis(is_exact=look.is_exact, looked_at=look.looked_at),
        "skipped": Basis(is_exact=are_counted, looked_at=look.looked_at),
        "systems": Basis(
            is_exact=are_counted and looked_for_systems == len(skips.doing), looked_at=looked_for_systems
        ),
        "bytes": Basis(is_exact=False, looked_at=0),
        "seconds": Basis(is_exact=False, looked_at=0),
    }
