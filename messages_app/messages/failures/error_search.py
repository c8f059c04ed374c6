"""The search for a word or number in error texts: it finds groups of failures, not single messages."""

from collections.abc import Iterator

from django.urls import reverse

from messages_app.core.clock import TooSlow, time_limit
from messages_app.core.search_results import Hit, Kind
from messages_app.core.statements import Statements
from messages_app.shared.error_titles import title_of_cause

statements = Statements("messages_app.messages.failures")


MIN_TEXT, MAX_GROUP_HITS = 3, 5


# Newer groups are more likely to be meant. This many are read in a few milliseconds.
MAX_SEARCHED_GROUPS = 5_000


_MS = 300


def find_error_texts(text: str) -> Iterator[Kind]:
    """Yield the groups of failures whose error or error code has the text, in any case of letters."""
    if len(text) < MIN_TEXT or "\0" in text:
        return
    values = {"text": text, "most_groups": MAX_SEARCHED_GROUPS, "limit": MAX_GROUP_HITS + 1}
    try:
        with time_limit(_MS):
            rows = statements.fetch_rows("find_groups", values)
    except TooSlow:
        return
    hits = [
        Hit(
            url=reverse("failure-group", args=[group_id]),
            name=title_of_cause(summary) or code or "No error text",
            about=" · ".join(filter(None, (service, code))),
        )
        for group_id, service, code, summary in rows
    ]
    if hits:
        yield Kind(
            title="Errors with this text",
            name="failure_group",
            hits=hits[:MAX_GROUP_HITS],
            more=len(hits) > MAX_GROUP_HITS,
        )
