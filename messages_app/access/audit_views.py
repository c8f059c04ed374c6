"""The pages of the audit log: the list with what belongs together on one line, an entry, and the file."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, timedelta
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import PageViews
from messages_app.audit import services as audit
from messages_app.audit.coverage import coverage_of
from messages_app.audit.folding import Fold, folds_of
from messages_app.audit.models import AuditEntry
from messages_app.audit.selectors import COLUMNS, ENTRIES, entry_page
from messages_app.audit.subjects import Subject, subjects_of
from messages_app.core.filters import address
from messages_app.core.filters.table import Filter, Values, write_values
from messages_app.core.filters.values import parse_flag
from messages_app.core.lists.downloads import FORMATS, MAX_ROWS, PAGE_SIZE, file_of, listed_rows
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.pagination.paginator import Page
from messages_app.core.parameters import text_of
from messages_app.core.problems import bad_field, quote_value
from messages_app.core.store_pages import StorePages

PAGES = StorePages(folder="audit")
VIEWS = PageViews(roles.CAN_VIEW_AUDIT)

_FORMAT, _FOLDED = "format", "folded"
# With one of these filters, the list has every entry.
_PRECISE = frozenset({"msg_id", "job_id", "subject", "request_id"})


class AuditForm(ListForm):
    """The form of the list."""

    filters = {**ENTRIES, _FOLDED: Filter(name=_FOLDED, lookup="", parse=parse_flag)}
    labels: Mapping[str, str] = {
        "actor": "User",
        "token_name": "Token",
        "action": "Action",
        "outcome": "Outcome",
        "msg_id": "Message",
        "job_id": "Job",
        "subject_kind": "Object kind",
        "subject": "Object id",
        "request_id": "Request",
        "reason_contains": "Reason",
        "at_from": "From",
        "at_to": "To",
        _FOLDED: "Lines",
    }
    field_names = ("actor", "action", "reason_contains", "msg_id", "job_id", "at_from", "at_to")
    first_names = ("actor", "action", "reason_contains")
    linked_names = ("outcome", _FOLDED, "token_name", "subject_kind", "subject", "request_id")

    @property
    def outcomes(self) -> list[Link]:
        return self.one_of("outcome", [("All", None), ("Done", "done"), ("Refused", "refused")])

    @property
    def foldings(self) -> list[Link]:
        return self.one_of(_FOLDED, [("Grouped", None), ("Every entry", "false")])

    @property
    def is_precise(self) -> bool:
        return bool(_PRECISE & set(self.params))

    @property
    def further(self) -> list[tuple[str, str]]:
        """(label, value) of the filters that have neither a field nor links."""
        names = ("token_name", "subject_kind", "subject", "request_id")
        return [(self.labels[name], text_of(self.params, name)) for name in names if name in self.params]


@dataclass(frozen=True, kw_only=True)
class Line:
    """
    One line of the list.

    Args:
        entry: the newest of its entries.
        fold: all of them; None: there is only this one.
    """

    entry: AuditEntry
    subjects: Sequence[Subject]
    fold: Fold | None

    @property
    def all_entries(self) -> str:
        """The query string of the list of all its entries."""
        entry = self.entry
        if entry.job_id is not None:
            return f"?{urlencode({'job_id': entry.job_id})}"
        if not entry.token_name:
            return f"?{urlencode({'request_id': entry.request_id})}"
        hour = entry.at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        times = {"at_from": hour, "at_to": hour + timedelta(hours=1, microseconds=-1)}
        values = {"token_name": entry.token_name, "actor": entry.actor, _FOLDED: "false"}
        written = {name: time.isoformat().replace("+00:00", "Z") for name, time in times.items()}
        return f"?{urlencode(values | written)}"


@VIEWS.shows_page
@checks_parameters
def audit_list(request: HttpRequest) -> HttpResponse:
    return PAGES.answer_list(
        request, "list", AuditForm, _make_context, section="", make_more=lambda form: {"most": MAX_ROWS}
    )


def _make_context(requested: ListRequest) -> Mapping[str, object]:
    values = dict(requested.values)
    is_folded = values.pop(_FOLDED, True) and not _PRECISE & set(values)
    page = entry_page(values=values, is_folded=is_folded, **requested.paging)
    folds = folds_of(page.rows) if is_folded else {}
    lines = [
        Line(entry=entry, subjects=tuple(subjects_of(entry)), fold=folds.get(entry.pk)) for entry in page.rows
    ]
    return {
        "lines": lines,
        "query": urlencode(write_values(ENTRIES, values)),
        **requested.describe_page(page, "-at"),
    }


@VIEWS.shows_page
def show_entry(request: HttpRequest, entry_id: int) -> HttpResponse:
    entry = AuditEntry.objects.filter(pk=entry_id).first()
    if entry is None:
        raise Http404(f"The audit log has no entry {entry_id}.")
    context = {
        "entry": entry,
        "subjects": list(subjects_of(entry)),
        "details": [(name, _write_detail(value)) for name, value in entry.details.items()],
        "coverage": coverage_of(entry),
        "in_request": f"{reverse('audit-list')}?{urlencode({'request_id': entry.request_id})}",
    }
    return PAGES.render_page(request, "entry", context)


def _write_detail(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@VIEWS.shows_page
@checks_parameters
def export_entries(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the list of the address, every entry of it: `format` is csv (the default) or jsonl."""
    params = request.GET.copy()
    kind = (params.pop(_FORMAT, None) or ["csv"])[-1]
    if kind not in FORMATS:
        formats = " or ".join(FORMATS)
        raise bad_field(_FORMAT, "invalid_value", f"{_FORMAT} must be {formats}, not {quote_value(kind)}.")
    tidy = address.tidy_params(params, ENTRIES, now=timezone.now())
    values = address.read_values(tidy, ENTRIES, now=address.moment_of(tidy))
    rows = _filtered_entries(values)
    if kind == "csv":
        rows = _with_written_details(rows)
    details = {"format": kind, "filter": dict(write_values(ENTRIES, values))}
    audit.record_entry(actor=actor_of(request), action="export_audit", details=details)
    return file_of(rows, COLUMNS, name="audit", kind=kind)


def _filtered_entries(values: Values) -> Iterator[object]:
    def fetch_next(cursor: str | None) -> Page[AuditEntry]:
        return entry_page(values=values, cursor=cursor, page_size=PAGE_SIZE)

    return listed_rows(fetch_next, things="entries")


def _with_written_details(rows: Iterator[object]) -> Iterator[object]:
    """Yield rows whose details are JSON, for a cell."""
    for row in rows:
        if isinstance(row, AuditEntry):
            row.details = _write_detail(row.details)
        yield row
