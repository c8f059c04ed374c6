"""
The ledger of a job on its page and as a file: one row per message, filtered by outcome and reason, or one
message by its id.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import QueryDict

from messages_app.core.charts.bars import Bar, make_bars
from messages_app.core.lists.downloads import csv_lines
from messages_app.core.pagination.paginator import Page
from messages_app.core.parameters import read_choice
from messages_app.core.problems import bad_field, quote_value
from messages_app.jobs import selectors
from messages_app.jobs.labels import outcome_words
from messages_app.jobs.models import Job, JobRefusal, LedgerRow
from messages_app.jobs.outcomes import End
from messages_app.jobs.selectors import JobProgress
from messages_app.jobs.stores import store_of
from messages_app.jobs.stores.store import Item, Present, items_of
from messages_app.shared.job_states import Outcome, outcome_kind

OUTCOME, NOW, MSG_ID, CURSOR = "outcome", "now", "msg_id", "cursor"
LEDGER_PARAMETERS = (OUTCOME, NOW, MSG_ID, CURSOR)
END_WORDS: Mapping[End, str] = {
    End.OK: "processed",
    End.FAILED: "failed again",
    End.CANCELLED: "cancelled",
    End.UNDER_WAY: "in progress",
    End.GONE: "deleted",
    End.ARCHIVED: "archived",
}
_FILE_PAGE_SIZE = 25


@dataclass(frozen=True, kw_only=True)
class Row:
    """
    One item and the `head` of its family.

    Args:
        kind: done, skipped, failed or empty; `why`: the reason in words.
        now: its current status; None if it was deleted.
        sent: the new message that the job has sent for it, or None; `sent_now`: its current status.
    """

    item: Item
    head: Item
    old_state: str
    new_state: str | None
    kind: str
    why: str
    now: Present | None
    sent: Item | None = None
    sent_now: Present | None = None


@dataclass(frozen=True, kw_only=True)
class Tab:
    """A link that filters the ledger by an outcome."""

    name: str
    count: int
    query: str
    is_on: bool


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """
    One page of the ledger.

    Args:
        outcome: the only outcome shown; None: all.
        end: the end that all messages shown have now; None: any.
        msg_id: the message that was searched for; None: a list.
        page: the page of the list; None if one message was searched for.
        export: the query string of the file with the same messages.
    """

    rows: list[Row]
    tabs: list[Tab]
    outcome: str | None
    end: End | None
    msg_id: int | None
    page: Page | None
    export: str

    @property
    def has_reasons(self) -> bool:
        return any(row.why for row in self.rows)

    @property
    def has_families(self) -> bool:
        return any(row.head != row.item for row in self.rows)

    @property
    def has_sent(self) -> bool:
        return any(row.sent for row in self.rows)

    @property
    def reason(self) -> str:
        """The only reason or end shown, in words; empty if all are shown."""
        return f"Now {END_WORDS[self.end]}" if self.end else outcome_words(self.outcome)[1]


def ledger_of(progress: JobProgress, params: QueryDict) -> Ledger:
    """
    Return the part of a job's ledger that the parameters of an address ask for.

    Raises:
        Problem: 400, the outcome, the end, the id or the cursor is invalid.
    """
    outcome, end, msg_id = outcome_asked(params), end_asked(params), _item_id(progress.job, params)
    if msg_id is None:
        page = selectors.item_page(
            job=progress.job, outcome=outcome, end=end, cursor=params.get(CURSOR), page_size=_FILE_PAGE_SIZE
        )
        ledger_rows = page.rows
    else:
        page, ledger_rows = None, list(LedgerRow.objects.filter(job_id=progress.job.pk, msg_id=msg_id))
        selectors.note_sent_messages(progress.job, ledger_rows)
    return Ledger(
        rows=_rows_of_items(progress.job, ledger_rows),
        tabs=_make_tabs(progress, outcome if msg_id is None and end is None else ""),
        outcome=outcome,
        end=end,
        msg_id=msg_id,
        page=page,
        export=query_of_end(end) if end else _query_of_outcome(outcome),
    )


def outcome_asked(params: QueryDict) -> str | None:
    return params.get(OUTCOME) or None


def end_asked(params: QueryDict) -> End | None:
    """
    Return the end that the messages shown have now.

    Raises:
        Problem: 400, it is not an end, or the address has an outcome too.
    """
    name = read_choice(params, NOW, list(End))
    if name and outcome_asked(params):
        raise bad_field(NOW, "invalid_value", f"{NOW} cannot be used together with {OUTCOME}.")
    return End(name) if name else None


def query_of_end(end: End) -> str:
    return f"?{urlencode({NOW: end.value})}"


def _rows_of_items(job: Job, ledger_rows: Sequence[LedgerRow | JobRefusal]) -> list[Row]:
    sent = {row.resent_as for row in ledger_rows if row.resent_as is not None}
    ids = {item_id for row in ledger_rows for item_id in (row.msg_id, row.root_msg_id)} | sent
    store = store_of(job.kind)
    present = store.read_present([row.msg_id for row in ledger_rows] + sorted(sent))
    items = items_of(store, ids)
    return [_row_of_item(row, items, present) for row in ledger_rows]


def _row_of_item(
    row: LedgerRow | JobRefusal, items: Mapping[int, Item], present: Mapping[int, Present]
) -> Row:
    kind, why = outcome_words(row.outcome)
    return Row(
        item=items[row.msg_id],
        head=items[row.root_msg_id],
        old_state=row.old_state,
        new_state=getattr(row, "new_state", None),
        kind=kind,
        why=why,
        now=present.get(row.msg_id),
        sent=None if row.resent_as is None else items[row.resent_as],
        sent_now=None if row.resent_as is None else present.get(row.resent_as),
    )


def reason_bars(progress: JobProgress) -> Mapping[str, list[Bar]]:
    """Return bars for the reasons of skipped and of failed messages, the most frequent first."""
    return {kind: _bars_of(progress, kind) for kind in (Outcome.FAILED, Outcome.SKIPPED)}


def _bars_of(progress: JobProgress, kind: Outcome) -> list[Bar]:
    reasons = [(name, count) for name, count in progress.outcomes if outcome_kind(name) == kind]
    reasons.sort(key=lambda pair: -pair[1])
    return make_bars(
        (outcome_words(name)[1] or name, count, _query_of_outcome(name)) for name, count in reasons
    )


def _make_tabs(progress: JobProgress, chosen: str | None) -> list[Tab]:
    counts = [(None, progress.planned), *((name, getattr(progress, name)) for name in Outcome)]
    return [
        Tab(name=name or "all", count=count, query=_query_of_outcome(name), is_on=chosen == name)
        for name, count in counts
    ]


def _query_of_outcome(outcome: str | None) -> str:
    return f"?{urlencode({OUTCOME: outcome})}" if outcome else "?"


def _item_id(job: Job, params: QueryDict) -> int | None:
    text = params.get(MSG_ID, "").strip()
    if not text:
        return None
    item_id = store_of(job.kind).find(text)
    if item_id is None:
        raise bad_field(MSG_ID, "invalid_value", f"{MSG_ID} must be the id of one, not {quote_value(text)}.")
    return item_id


# A file of any size is read page by page, in constant memory.
_FILE_PAGE_SIZE = 5_000


class Line(NamedTuple):
    """
    One message; `outcome` is empty while it is open, `new_state` if nothing was changed, `resent_as` if the
    job has sent no new message for it.
    """

    msg_id: int
    root_msg_id: int
    old_state: str
    new_state: str | None
    outcome: str
    reason: str
    resent_as: int | None


def ledger_lines(job: Job, outcome: str | None, end: End | None = None) -> Iterator[str]:
    """
    Return the lines of a CSV file: a header, and one line for each message with this outcome, or with this
    end now; None: all messages.

    Raises:
        Problem: 400, there is no such outcome.
    """
    first = _page_of_items(job, outcome, end, None)
    return csv_lines(_iterate_lines(job, outcome, end, first), Line._fields)


def _iterate_lines(job: Job, outcome: str | None, end: End | None, page: Page) -> Iterator[Line]:
    while True:
        yield from map(_line_of_item, page.rows)
        if page.next_cursor is None:
            return
        page = _page_of_items(job, outcome, end, page.next_cursor)


def _page_of_items(job: Job, outcome: str | None, end: End | None, cursor: str | None) -> Page:
    return selectors.item_page(job=job, outcome=outcome, end=end, cursor=cursor, page_size=_FILE_PAGE_SIZE)


def _line_of_item(item: LedgerRow | JobRefusal) -> Line:
    outcome, _, reason = (item.outcome or "").partition(":")
    new_state = getattr(item, "new_state", None)
    return Line(item.msg_id, item.root_msg_id, item.old_state, new_state, outcome, reason, item.resent_as)
