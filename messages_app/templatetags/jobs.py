"""Formats of rates and times of jobs, and the jobs that pages offer. Display only."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from messages_app.core import markup
from messages_app.core.formatting import format_decimal, format_duration, format_number
from messages_app.jobs.kinds.registry import kinds_of, spec_of
from messages_app.jobs.kinds.spec import KindSpec
from messages_app.jobs.offers import find_offers
from messages_app.jobs.preview.estimates import Estimate
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.shared.job_states import JobState, PauseReason

register = template.Library()


register.filter("pace", format_decimal)


@register.filter
def keep_percents(sentence: str) -> str:
    """Put a no-break space before each percent sign."""
    return sentence.replace(" %", "\u00a0%")


@register.simple_tag
def job_state(state: str, paused_for: str = "", size: str = "") -> SafeString:
    """Show the state of a job; while it waits for its test batch, that it is testing."""
    if state == JobState.PAUSED and paused_for == PauseReason.CANARY:
        return format_html(
            '<span class="c-state{}" data-state="{}" title="{}">{}testing</span>',
            f" is-{size}" if size else "",
            JobState.RUNNING,
            "Waiting for the test batch to finish",
            markup.state_icon(JobState.RUNNING),
        )
    return markup.show_state(state, size)


@register.filter
def estimate_text(estimate: Estimate) -> str:
    """Write an exact number, an estimate or bounds: 24 502, about 16 800, between 12 000 and 19 000."""
    if estimate.is_exact:
        return format_number(round(estimate.about))
    if estimate.is_close:
        return f"about {format_number(estimate.shown_rows)}"
    least, most = estimate.bounds
    return f"between {format_number(least)} and {format_number(most)}"


@register.filter(name="span")
def write_span(seconds: float) -> str:
    """Write an approximate time: under a second, about 41 min."""
    if seconds < 1:
        return "under a second"
    return f"about {format_duration(timedelta(seconds=seconds))}"


@dataclass(frozen=True, kw_only=True)
class OfferedJob:
    """
    A link to the page of a new job: label, icon, and the query of its address.

    Args:
        is_sentence: the label is complete without the number of messages.
    """

    label: str
    icon: str
    query: str
    is_sentence: bool


@dataclass(frozen=True, kw_only=True)
class OfferedJobs:
    """The jobs that the user may start on all messages of a list, or the fault of its filter."""

    jobs: Sequence[OfferedJob]
    refusal: str


@register.simple_tag(takes_context=True)
def list_offered_jobs(context: template.Context, filters: MessageFilter) -> OfferedJobs:
    """Return the jobs for a filtered list."""
    offers = find_offers(filters, context["request"].user)
    jobs = [
        OfferedJob(
            label=spec.words.offered or spec.words.verb,
            icon=spec.words.icon,
            is_sentence=bool(spec.words.offered),
            query=urlencode([("kind", spec.kind), *filters.as_pairs()]),
        )
        for spec in offers.specs
    ]
    return OfferedJobs(jobs=jobs, refusal=offers.refusal)


@register.simple_tag(takes_context=True)
def kinds_for_list(context: template.Context, store: str) -> list[KindSpec]:
    """Return the kinds of jobs that the user may start on the filtered list of this store."""
    specs = [spec_of(kind) for kind in kinds_of(store)]
    user = context["request"].user
    return [spec for spec in specs if spec.needs_filter and user.has_perm(spec.permission)]
