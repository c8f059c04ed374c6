"""The list of messages."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone

from messages_app.access.actors import actor_of
from messages_app.audit import services as audit
from messages_app.core.charts.bars import make_bars
from messages_app.core.filters import address
from messages_app.core.filters.table import filters_by_name, read_filters, text_filter, write_values
from messages_app.core.lists.downloads import FORMATS, file_of
from messages_app.core.lists.filter_form import Link, ListForm
from messages_app.core.lists.views import ListRequest
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.problems import bad_field, quote_value
from messages_app.core.search_results import Hit, Kind
from messages_app.message_store.models import MAX_KEY, MAX_NAME
from messages_app.message_store.selectors import failures, message_of, stored_identifier
from messages_app.message_store.selectors.explanation import VOCABULARY
from messages_app.message_store.selectors.failures import (
    MISSING_PAGE,
    NEWEST_ERRORS,
    MissingRecord,
    error_groups,
    missing_entities,
    missing_records,
)
from messages_app.message_store.selectors.messages import MESSAGES, listed_messages, message_page
from messages_app.message_store.states import CLASS_NAMES, badge_of
from messages_app.message_store.views import PAGES, VIEWS
from messages_app.shared.error_slots import SLOT
from messages_app.shared.failure_texts import Group
from messages_app.shared.store_states import Status, StatusClass, class_of, name_of

_SECTION = "store-messages"
_ORDER_WORDS = {"-message_timestamp": "Newest first", "message_timestamp": "Oldest first"}
_KINDS = {"refresh": "Refresh", "orphaned": "Orphans", "muted": "Muted"}
_CHOSEN_CLASSES = (StatusClass.WAITING, StatusClass.IN_WORK, StatusClass.DONE, StatusClass.ERROR)


class MessagesForm(ListForm):
    """The form of the list."""

    filters = MESSAGES
    labels: Mapping[str, str] = VOCABULARY.labels
    field_names = (
        "source_system",
        "source_entity",
        "message_identifier",
        "error_contains",
        "message_timestamp_from",
        "message_timestamp_to",
        "status",
        "user_name",
        "missing_entity",
        "missing_key",
        "effective_timestamp_from",
        "effective_timestamp_to",
        "processed_timestamp_from",
        "processed_timestamp_to",
        "next_attempt_timestamp_from",
        "next_attempt_timestamp_to",
    )
    first_names = ("source_system", "source_entity", "message_identifier", "error_contains")
    linked_names = ("refresh", "orphaned", "muted")

    @property
    def bulk_query(self) -> str:
        """Only the filter, as a job's page takes it."""
        return self.query_with(**dict.fromkeys(dict(self.other_params))).removeprefix("?")

    @property
    def file_query(self) -> str:
        """The query of the list's file."""
        return self.query_with().removeprefix("?")

    @property
    def classes(self) -> list[Link]:
        return self.one_of(
            "status",
            [("All", None), *((CLASS_NAMES[each], _codes_of_class(each)) for each in _CHOSEN_CLASSES)],
        )

    @property
    def kinds(self) -> list[Link]:
        """Links to messages in unusual conditions."""
        return [
            Link(text=text, query=self._turn_flag(name), is_on=self.params.get(name) == "true")
            for name, text in _KINDS.items()
        ]

    def _turn_flag(self, name: str) -> str:
        return self.query_with(**{name: None if self.params.get(name) == "true" else "true"})

    @property
    def orders(self) -> list[Link]:
        return self.in_order(_ORDER_WORDS)


def _codes_of_class(what: StatusClass) -> str:
    return ",".join(str(int(status)) for status in Status if class_of(status) is what)


@VIEWS.shows_page
@checks_parameters
def message_list(request: HttpRequest) -> HttpResponse:
    return PAGES.answer_list(request, "messages", MessagesForm, _make_context, section=_SECTION)


def _make_context(requested: ListRequest) -> Mapping[str, object]:
    ordering = requested.form.params.get("ordering")
    page = message_page(values=requested.values, ordering=ordering, **requested.paging)
    return {
        "lines": [(one, badge_of(one.status)) for one in listed_messages(page.rows)],
        **requested.describe_page(page, ordering or "-message_timestamp"),
    }


_FORMAT, _ORDERING = "format", "ordering"


@VIEWS.shows_page
@checks_parameters
def export_list(request: HttpRequest) -> StreamingHttpResponse:
    """Stream the list of the address: `format` is csv (the default) or jsonl."""
    params = request.GET.copy()
    kind = (params.pop(_FORMAT, None) or ["csv"])[-1]
    if kind not in FORMATS:
        formats = " or ".join(FORMATS)
        raise bad_field(_FORMAT, "invalid_value", f"{_FORMAT} must be {formats}, not {quote_value(kind)}.")
    tidy = address.tidy_params(params, MESSAGES, now=timezone.now())
    values = address.read_values(tidy, MESSAGES, now=address.moment_of(tidy))
    ordering = params.get(_ORDERING)
    rows = failures.filtered_rows(values, ordering=ordering)
    details = {"format": kind, "filter": dict(write_values(MESSAGES, values)), "ordering": ordering}
    audit.record_entry(actor=actor_of(request), action="export_stored", details=details)
    return file_of(rows, failures.COLUMNS, name="store-messages", kind=kind)


# A page of groups stays light; the largest come first.
_MAX_GROUPS = 100
# As much of an error as every message of the group has: up to the first word that differs.
_MIN_BEGINNING = 8
# Where the page of missing records begins, and which entity it is of.
_MISSING = filters_by_name(
    text_filter("entity", MAX_NAME), text_filter("after_entity", MAX_NAME), text_filter("after", MAX_KEY)
)


@VIEWS.shows_page
def error_list(request: HttpRequest) -> HttpResponse:
    groups = error_groups()
    largest = groups[:_MAX_GROUPS]
    drawn = make_bars(("", group.count, _address_of_group(group)) for group in largest)
    context = {
        "lines": [(group, badge_of(group.key[0]), bar) for group, bar in zip(largest, drawn, strict=True)],
        "more": max(len(groups) - _MAX_GROUPS, 0),
        "newest": NEWEST_ERRORS,
        "grouped": sum(group.count for group in groups),
    }
    return PAGES.render_page(request, "errors", context, section="store-errors")


@VIEWS.shows_page
@checks_parameters
def missing_list(request: HttpRequest) -> HttpResponse:
    """Show the missing records one by one; each entity leads to its own missing records."""
    values = read_filters(_MISSING, request.GET)
    entity = values.get("entity")
    after = (values.get("after_entity", entity or ""), values["after"]) if "after" in values else None
    records = missing_records(entity=entity, after=after)
    page = records[:MISSING_PAGE]
    context = {
        "records": page,
        "entity": entity,
        "entities": missing_entities(),
        "is_first": after is None,
        "next": _query_beyond(page[-1], entity) if len(records) > len(page) else None,
        "given_up": int(Status.REPROCESS_TIMEOUT),
        "waiting": int(Status.REQUIRES_REPROCESSING),
    }
    return PAGES.render_page(request, "missing", context, section="store-missing")


def _query_beyond(last: MissingRecord, entity: str | None) -> str:
    """Return the query of the page beyond a record."""
    after = {"after_entity": last.entity, "after": last.record_key}
    return "?" + urlencode({"entity": entity, **after} if entity else after)


def _address_of_group(group: Group) -> str:
    """Return the list of a group's messages: by status, entity, and what all their errors begin with."""
    status, entity = group.key
    filters = {"status": status}
    if entity:
        filters["source_entity"] = entity
    beginning = group.summary.partition(SLOT)[0].strip()
    # A summary may name the cause in another form than the error.
    if len(beginning) >= _MIN_BEGINNING and beginning in group.example:
        filters["error_contains"] = beginning
    return f"{reverse('store-messages')}?{urlencode(filters)}"


def look_up(text: str) -> Iterator[Kind]:
    """Yield the message whose identifier the text is, in any case of letters; including incomplete ones."""
    key = stored_identifier(text)
    message = message_of(key) if key else None
    if key is None or message is None:
        return
    line = message.line
    names = f"{line.source_entity or 'message'} of {line.source_system or 'no system'}"
    status = "history only" if line.status is None else f"{line.status} {name_of(line.status)}"
    hit = Hit(url=reverse("store-message", args=[key]), name=key, about=f"{names} · {status}")
    yield Kind(title="Message store identifier", name="store_message", hits=[hit])
