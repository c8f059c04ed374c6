"""The documents whose id was pasted into the search, or is a key: in the history, and in doubt."""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.urls import reverse

from messages_app.core.search_results import Hit, Kind
from messages_app.document_history.models import DocumentInDoubt, HistoryLine
from messages_app.document_history.selectors.entries import EntryLine, entry_lines, trigger_ids
from messages_app.document_history.states import MAX_UUID, PAIRS

MAX_HITS = 5
# The history has an index by trigger and document, so it is searched trigger by trigger.
_MAX_TRIGGERS = 200


def look_up(text: str) -> Iterator[Kind]:
    """Yield the documents of all triggers that have exactly this id, and those of them that are in doubt."""
    if not 0 < len(text) <= MAX_UUID or "\0" in text:
        return
    lines = HistoryLine.objects.filter(trigger_id__in=trigger_ids(_MAX_TRIGGERS), document_uuid=text)
    documents = entry_lines(lines.order_by("-time", "line_no")[: MAX_HITS + 1])
    if documents:
        yield Kind(
            title="Documents",
            name="document",
            hits=[_describe_document(line) for line in documents[:MAX_HITS]],
            more=len(documents) > MAX_HITS,
            list_url=f"{reverse('document-entries')}?{urlencode({'uuid': text})}",
        )
    doubts = list(DocumentInDoubt.objects.filter(identifier=text).order_by("-pk")[: MAX_HITS + 1])
    if doubts:
        yield Kind(
            title="Documents in doubt",
            name="document_in_doubt",
            hits=[_describe_doubt(one) for one in doubts[:MAX_HITS]],
            more=len(doubts) > MAX_HITS,
        )


def _describe_document(line: EntryLine) -> Hit:
    query = urlencode({"trigger_id": line.trigger_id, "uuid": line.document_uuid})
    return Hit(
        url=f"{reverse('document-entries')}?{query}",
        name=line.document_uuid,
        about=f"{line.trigger_name or line.trigger_id} · {PAIRS[line.pair].text}",
    )


def _describe_doubt(document: DocumentInDoubt) -> Hit:
    return Hit(
        url=reverse("in-doubt", args=[document.pk]),
        name=document.identifier,
        about=f"{document.trigger_id} · {document.state}",
    )
