"""The page of saved views, and the query line, with values that all differ."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.http import QueryDict

from messages_app.core.problems import Problem
from messages_app.messages.listing.models import SavedView
from tests.support.factories import NOON
from tests.support.page_outlines import outline_of, show_block

ADA, BEN = User(pk=1, username="ada"), User(pk=2, username="ben")


def row(number: int, *, owner: User = ADA, shared: bool = False, **values: object) -> dict[str, object]:
    view = SavedView(
        pk=number,
        name=f"view {number}",
        query=f"state=S{number}",
        owner=owner,
        shared=shared,
        created_at=NOON + timedelta(minutes=number),
    )
    base = {"view": view, "line": f"state:S{number}", "may_change": True, "is_own": owner is ADA, "error": ""}
    return base | values


def show(*rows: dict[str, object], **values: object) -> list[str]:
    context = {"rows": list(rows), "problem": None, "sent": QueryDict(), "sent_line": ""}
    return outline_of(show_block("messages_app/messages/views.html", **context | values))


class TestSavedViews:
    def test_shows_all_values_of_each_view(self):
        mine, shared = row(11), row(12, shared=True)
        other = row(13, shared=True, owner=BEN, may_change=False)
        assert show(mine, shared, other) == [
            "[view 11](/messages/?state=S11)",
            "2026-11-01 12:11:00 UTC",
            "state:S11",
            "(/messages/views/11/)",
            "New name of view 11",
            "<name=view 11>",
            "Rename",
            "Share with everyone",
            "Delete",
            "[view 12](/messages/?state=S12)",
            "shared by you 2026-11-01 12:12:00 UTC",
            "state:S12",
            "(/messages/views/12/)",
            "New name of view 12",
            "<name=view 12>",
            "Rename",
            "Stop sharing",
            "Delete",
            "[view 13](/messages/?state=S13)",
            "shared by ben 2026-11-01 12:13:00 UTC",
            "state:S13",
        ]

    def test_shows_an_error_at_its_view(self):
        assert show(row(11), row(12, error="Another view has this name."))[8:] == [
            "Delete",
            "[view 12](/messages/?state=S12)",
            "2026-11-01 12:12:00 UTC",
            "state:S12",
            "(/messages/views/12/)",
            "New name of view 12",
            "<name=view 12>",
            "Another view has this name.",
            "Rename",
            "Share with everyone",
            "Delete",
        ]

    def test_asks_again_for_a_view_that_was_not_saved(self):
        problem = Problem(409, code="conflict", detail="Another view has this name.")
        sent = QueryDict("name=night&query=state=S14&shared=on")
        assert show(problem=problem, sent=sent, sent_line="state:S14") == [
            "Save view",
            "(/messages/views/)",
            "state:S14",
            "View name",
            "<name=night>",
            "Another view has this name.",
            "<shared> * Share with everyone",
            "Save",
        ]
        assert show(problem=problem, sent_line="") == [
            "Another view has this name.",
        ]
        private = QueryDict("name=night&query=state=S14")
        assert "* " not in " ".join(show(problem=problem, sent=private, sent_line="state:S14"))

    def test_says_that_it_is_empty(self):
        assert show() == [
            "No saved views yet",
            (
                "Filter the message list, then choose “Save view”. A view stores the filter and can be "
                "shared with everyone."
            ),
        ]
