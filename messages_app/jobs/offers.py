"""The jobs that lists offer for their filter: all kinds whose form accepts it."""

from collections.abc import Sequence
from dataclasses import dataclass

from messages_app.access import roles
from messages_app.access.actors import Caller
from messages_app.core.filters.table import name_values
from messages_app.jobs.kinds.registry import kinds_of, refusal_of_kind, spec_of
from messages_app.jobs.kinds.spec import KindSpec, Rows, Selects
from messages_app.jobs.validation import checked_filter
from messages_app.messages.filters.message_filter import CONTENT, MessageFilter
from messages_app.shared.job_states import StoreName


@dataclass(frozen=True, kw_only=True)
class Offers:
    """
    Args:
        specs: kinds that change messages in place first, then kinds that move messages, then exports.
        refusal: the fault of the filter that all kinds refuse; otherwise empty.
    """

    specs: Sequence[KindSpec] = ()
    refusal: str = ""


def find_offers(filters: MessageFilter, user: Caller) -> Offers:
    """Return the kinds of jobs that the list of messages offers `user`. Without a filter, it offers none."""
    if filters.is_empty or not user.has_perm(roles.CAN_VIEW_JOBS):
        return Offers()
    specs = (spec_of(kind) for kind in kinds_of(StoreName.MESSAGES))
    possible = [
        spec
        for spec in specs
        if user.has_perm(spec.permission) and _may_act_on(spec, filters) and not refusal_of_kind(spec.kind)
    ]
    stored = name_values(filters.as_pairs())
    faults = {spec.kind: checked_filter(spec.kind, stored, user)[1] for spec in possible}
    offered = sorted(
        (spec for spec in possible if not faults[spec.kind]),
        key=lambda spec: (spec.makes_file, spec.moves_rows),
    )
    # A fault of all kinds is one of the range of a payload search, which is shorter than that of the list.
    of_all = [] if offered else [error for errors in faults.values() for error in errors]
    return Offers(specs=offered, refusal=of_all[0].message if of_all and CONTENT in filters.values else "")


def _may_act_on(spec: KindSpec, filters: MessageFilter) -> bool:
    """Whether a job of this kind can act on messages of the filter, by their places and states."""
    if spec.selects is not Selects.FILTER or (spec.rows is Rows.ARCHIVED and not filters.is_archived):
        return False
    states = set(filters.states)
    return spec.acts_on is None or not states or not states.isdisjoint(spec.acts_on())
