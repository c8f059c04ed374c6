"""
An estimate of the messages that a job would skip, with the reasons, and of the families that it would add.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from messages_app.core.statements import Statements
from messages_app.jobs.kinds.registry import rivals_of
from messages_app.jobs.kinds.spec import KindSpec, Leaves
from messages_app.jobs.models import Job
from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.estimates import NOTHING, Estimate, mean_of, share_of
from messages_app.jobs.preview.families import (
    FamilyShare,
    TooLarge,
    archived_family_shares,
    live_family_shares,
)
from messages_app.jobs.preview.samples import Sample
from messages_app.messages.services import resent_as_of
from messages_app.shared.job_states import ACTIVE_STATES, SkipReason

statements = Statements("messages_app.jobs.preview")
spark_statements = Statements("spark_tasks")


# The number of sampled messages that are looked up: first a few, then more if a few are not enough.
_FEW, _MAX_LOOKED_UP = 500, 4_000
_MAX_JOBS = 100
_ALONE = FamilyShare()
_UNKNOWN = Estimate(least=0, about=1, most=1)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """
    The effect of a job on a piece of its set.

    Args:
        planned: messages of the set, including the rest of their families.
        to_do: messages that would not be skipped.
        skipped: the estimated number of skipped messages, by reason.
        doing: ids of some messages that would be done; `weight`: the number of messages that each represents.
        is_exact: every message was looked up.
    """

    planned: Estimate
    to_do: Estimate
    skipped: Mapping[str, float]
    doing: Sequence[int]
    weight: float
    is_exact: bool

    @classmethod
    def all_skipped(cls, sample: Sample, reason: str) -> "Judged":
        """Return the result for a piece that the job skips completely."""
        return cls(
            planned=sample.messages,
            to_do=NOTHING,
            skipped={str(reason): sample.messages.about},
            doing=(),
            weight=0.0,
            is_exact=sample.messages.is_exact,
        )

    @classmethod
    def all_done(cls, sample: Sample, to_do: Estimate, *, is_exact: bool) -> "Judged":
        """Return the result for a piece whose messages were not looked up individually."""
        return cls(
            planned=sample.messages,
            to_do=to_do,
            skipped={},
            doing=[row[0] for row in sample.rows],
            weight=sample.weight,
            is_exact=is_exact,
        )


# Returns the shares of messages by id; messages that are left out represent only themselves.
LookUp = Callable[[list[int]], Mapping[int, FamilyShare]]


def judge_sample(sample: Sample, look_up: LookUp | None, deadline: Deadline) -> Judged:
    """
    Return the result for messages that a job may change.

    Args:
        sample: the id of each message first.
        look_up: None: the job skips none of them.
    """
    if look_up is None or not sample.messages.most:
        return Judged.all_done(sample, sample.messages, is_exact=sample.messages.is_exact)
    judged = None
    for most in (_FEW, _MAX_LOOKED_UP):
        chosen, shares = _look_up_shares(sample, look_up, most, deadline)
        # Empty if the hub has changed all of them since they were read.
        if not any(shares.get(sample.rows[place][0], _ALONE).represents for place in chosen):
            break
        judged = _judge_sample(sample, chosen, shares)
        if len(chosen) == len(sample.rows) or (judged.to_do.is_close and len(sample.rows) > _MAX_LOOKED_UP):
            break
    return judged or Judged.all_done(sample, sample.messages * _UNKNOWN, is_exact=False)


def _judge_sample(sample: Sample, chosen: Sequence[int], shares: Mapping[int, FamilyShare]) -> Judged:
    ids = [sample.rows[place][0] for place in chosen]
    of_messages = [shares.get(msg_id, _ALONE) for msg_id in ids]
    is_whole = sample.is_whole and len(chosen) == len(sample.rows)
    brought = [each.represents for each in of_messages]
    planned = sample.messages * mean_of(brought, is_whole=is_whole)
    going = [each.represents if each.reason is None else 0.0 for each in of_messages]
    to_do = planned * share_of(
        sum(going),
        sum(brought),
        looked_at=_draws_of(sample, chosen, going, brought),
        is_whole=is_whole,
    )
    if not sample.is_random:
        to_do = Estimate(least=0, about=to_do.about, most=planned.most)
    scale = planned.about / sum(brought)
    skipped: dict[str, float] = defaultdict(float)
    for each in of_messages:
        if each.reason is not None:
            skipped[each.reason] += each.represents * scale
    doing = [msg_id for msg_id, each in zip(ids, of_messages, strict=True) if each.reason is None]
    return Judged(
        planned=planned,
        to_do=to_do,
        skipped=skipped,
        doing=doing,
        weight=to_do.about / len(doing) if doing else 0.0,
        is_exact=is_whole,
    )


def _look_up_shares(
    sample: Sample, look_up: LookUp, most: int, deadline: Deadline
) -> tuple[Sequence[int], Mapping[int, FamilyShare]]:
    """Return the indexes of the rows that were looked up, and their shares; no rows if there was no time."""
    places: Sequence[int] = range(len(sample.rows))
    if len(places) > most:
        places = random.Random(0).sample(places, most)  # noqa: S311 (the same ones when asked again)
    ids = [sample.rows[place][0] for place in places]
    try:
        shares = deadline.run_within(lambda: look_up(ids), share=0.6)
    except TooLarge:
        shares = None
    return ((), {}) if shares is None else (places, shares)


def _draws_of(sample: Sample, chosen: Sequence[int], going: Sequence[float], brought: Sequence[float]) -> int:
    """
    Return the number of independent draws that the rows are worth. Rows of one page are often from one family
    or one day.

    The number is measured by how much pages differ. It is at most the number of rows.
    """
    if not sample.pages:
        return len(chosen)
    pages: dict[int, list[float]] = {}
    for place, part, whole in zip(chosen, going, brought, strict=True):
        sums = pages.setdefault(sample.pages[place], [0.0, 0.0])
        sums[0] += part
        sums[1] += whole
    share = sum(going) / sum(brought)
    variance = sum((part - share * whole) ** 2 for part, whole in pages.values()) / sum(brought) ** 2
    if not variance:
        return len(pages)
    return max(1, min(len(chosen), round(share * (1 - share) / variance)))


def look_up_families(
    spec: KindSpec, rows: QuerySet, cutoff: datetime | None, *, also_resent: bool = False
) -> LookUp | None:
    """
    Return the function that looks up families of messages of `rows`, and the ones that the job leaves out.

    Args:
        cutoff: the age limit of an archive job.
        also_resent: the job includes messages that were corrected and resent.
    """
    if not spec.claims:
        return None
    spares_resent = spec.leaves is Leaves.RESENT and not also_resent

    def chosen_of(ids: list[int]) -> Collection[int]:
        return set(rows.filter(pk__in=ids).order_by().values_list("pk", flat=True))

    def look_up(ids: list[int]) -> Mapping[int, FamilyShare]:
        shares: Mapping[int, FamilyShare] = {}
        if spec.leaves is Leaves.LIVE_FAMILIES and cutoff is not None:
            shares = live_family_shares(ids, cutoff=cutoff, chosen_of=chosen_of)
        if spec.leaves is Leaves.ARCHIVED_FAMILIES:
            shares = archived_family_shares(ids, conflicts_of=_live_again, chosen_of=chosen_of)
        resent = dict.fromkeys(resent_as_of(ids), str(SkipReason.ALREADY_RESENT)) if spares_resent else {}
        left = resent | find_rows_in_jobs(spec, ids)
        return {
            **shares,
            **{msg_id: _apply_reason(shares.get(msg_id, _ALONE), left[msg_id]) for msg_id in left},
        }

    return look_up


def _apply_reason(share: FamilyShare, reason: str) -> FamilyShare:
    return share if share.reason else FamilyShare(represents=share.represents, reason=reason)


def find_rows_in_jobs(spec: KindSpec, ids: list[int]) -> dict[int, str]:
    """Return the rows that a job of this kind skips because another active job has them."""
    active = Job.objects.filter(state__in=sorted(ACTIVE_STATES), dry_run=False)
    jobs = list(active.filter(kind__in=rivals_of(spec.kind)).values_list("pk", flat=True)[:_MAX_JOBS])
    if not jobs:
        return {}
    rows = spark_statements.fetch_rows("items_of_jobs", {"ids": ids, "job_ids": jobs})
    return {row[0]: str(SkipReason.IN_JOB) for row in rows}


def _live_again(ids: list[int]) -> dict[int, str]:
    rows = statements.fetch_rows("live_again", {"ids": ids})
    return {
        msg_id: str(SkipReason.MSG_ID_LIVE if by_id else SkipReason.CORRELATION_ID_LIVE)
        for msg_id, by_id in rows
    }
