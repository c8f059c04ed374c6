"""The list of the message store with values that all differ."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from django.http import QueryDict

from messages_app.core.badges import Badge
from messages_app.core.pagination.paginator import Page
from messages_app.message_store.models import MessageLine
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.lists import MessagesForm
from tests.messages_app.message_store.views.test_dashboard_content import moment
from tests.support.page_outlines import outline_of, show_block

PAGE = Page(rows=[], next_cursor=None, previous_cursor=None)


def listed(
    number: int,
    status: int,
    *,
    orphan: str = "",
    error: str = "",
    user: str = "",
    refresh: bool = False,
    **columns: object,
) -> tuple[SimpleNamespace, Badge]:
    line = MessageLine(
        message_identifier=f"0193-{number}",
        status=status,
        message_timestamp=moment(number),
        source_system=f"s{number}",
        source_entity=f"e{number}",
        attempts=1_000 + number,
        **columns,
    )
    one = SimpleNamespace(
        line=line,
        orphan=orphan,
        store=SimpleNamespace(refresh=refresh, user_name=user),
        process=SimpleNamespace(error_message=error),
    )
    return one, badge_of(status)


def show(*lines: object, query: str = "", **values: object) -> list[str]:
    form = MessagesForm(QueryDict(query), allowed=MessagesForm.filters.keys())
    context = {
        "form": form,
        "lines": lines,
        "is_narrowed": bool(query),
        "list": "/list/",
        "page": PAGE,
        "most_exported": 1_501,
        "newer": "?newer",
        "older": "?older",
    }
    return outline_of(
        show_block("messages_app/message_store/messages.html", block="store_content", **context | values)
    )


class TestMessages:
    def test_show_all_their_values(self):
        lines = show(
            listed(
                11,
                2,
                next_attempt_timestamp=datetime(2021, 3, 4, 12, 21, tzinfo=UTC),
                error="no connection",
                user="ada",
                refresh=True,
            ),
            listed(12, 2, orphan="it has no attempt"),
            listed(13, 1, claimed_at=moment(23), muted_at=moment(24)),
            listed(14, 10),
        )
        assert lines[lines.index("Messages of the store") + 1 :] == [
            "Message | Status | System / entity | Created | Attempts | Next attempt | Error",
            (
                "[0193-11](/message-store/messages/0193-11/) | {planned} (title: Refers to missing "
                "records; retried at its next attempt.) 2 requires reprocessing | s11 / e11 (title: "
                "It ends all records of its entity that it does not contain.) refresh by ada | "
                "@2026-11-02T12:11:00Z | 1 011 | @2021-03-04T12:21:00Z | no connection"
            ),
            (
                "[0193-12](/message-store/messages/0193-12/) | {planned} (title: Refers to missing "
                "records; retried at its next attempt.) 2 requires reprocessing it has no attempt | "
                "s12 / e12 | @2026-11-02T12:12:00Z | 1 012 | due |"
            ),
            (
                "[0193-13](/message-store/messages/0193-13/) | {running} (title: An attempt is in "
                "progress, or died and has not timed out yet.) 1 processing muted | s13 / e13 | "
                "@2026-11-02T12:13:00Z | 1 013 | in progress for @2026-11-02T12:23:00Z |"
            ),
            (
                "[0193-14](/message-store/messages/0193-14/) | {done} (title: Its records have been "
                "written.) 10 processed | s14 / e14 | @2026-11-02T12:14:00Z | 1 014 | |"
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]

    def test_have_filters(self):
        assert show(
            listed(14, 10), query="source_system=crm&status=20&muted=true&ordering=message_timestamp"
        ) == [
            "Filter 2",
            "(/list/)",
            "System",
            "<source_system=crm>",
            "Entity",
            "<source_entity=>",
            "Identifier",
            "<message_identifier=>",
            "Error contains",
            "<error_contains=>",
            "More fields 1",
            "Created from (UTC)",
            "<message_timestamp_from=>",
            "Created to (UTC)",
            "<message_timestamp_to=>",
            "Status",
            "<status=20>",
            "User",
            "<user_name=>",
            "Missing record of",
            "<missing_entity=>",
            "Key of missing record",
            "<missing_key=>",
            "Valid from from (UTC)",
            "<effective_timestamp_from=>",
            "Valid from to (UTC)",
            "<effective_timestamp_to=>",
            "Last attempt from (UTC)",
            "<processed_timestamp_from=>",
            "Last attempt to (UTC)",
            "<processed_timestamp_to=>",
            "Next attempt from (UTC)",
            "<next_attempt_timestamp_from=>",
            "Next attempt to (UTC)",
            "<next_attempt_timestamp_to=>",
            "Filter",
            "[Clear](/list/)",
            "[All](?source_system=crm&muted=true&ordering=message_timestamp)",
            "[Waiting](?source_system=crm&muted=true&ordering=message_timestamp&status=0,2)",
            "[In progress](?source_system=crm&muted=true&ordering=message_timestamp&status=1,3)",
            "[Processed](?source_system=crm&muted=true&ordering=message_timestamp&status=10)",
            (
                "[In "
                "error](?source_system=crm&muted=true&ordering=message_timestamp&status=20,21,22,23,24,25,26)"
            ),
            "[Refresh](?source_system=crm&status=20&muted=true&ordering=message_timestamp&refresh=true)",
            "[Orphans](?source_system=crm&status=20&muted=true&ordering=message_timestamp&orphaned=true)",
            "* [Muted](?source_system=crm&status=20&ordering=message_timestamp)",
            "[Newest first](?source_system=crm&status=20&muted=true&ordering=-message_timestamp)",
            "* [Oldest first](?source_system=crm&status=20&muted=true&ordering=message_timestamp)",
            (
                "(title: At most 1 501 messages, in this order, without their data) "
                "[CSV](/message-store/messages/export/?format=csv&source_system=crm&status=20&"
                "muted=true&ordering=message_timestamp) "
                "· (title: At most 1 501 messages, in this order, without their data) [JSON "
                "lines](/message-store/messages/export/?format=jsonl&source_system=crm&status=20&"
                "muted=true&ordering=message_timestamp)"
            ),
            "Messages of the store",
            "Message | Status | System / entity | Created | Attempts | Next attempt | Error",
            (
                "[0193-14](/message-store/messages/0193-14/) | {done} (title: Its records have been "
                "written.) 10 processed | s14 / e14 | @2026-11-02T12:14:00Z | 1 014 | |"
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]

    @pytest.mark.django_db
    def test_say_that_the_list_is_empty(self):
        assert show(query="status=20")[-3:] == [
            "No messages found",
            "[Show all messages](/list/)",
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]
        assert show()[-2] == "The store is empty"
        assert show(
            query="status=20", page=Page(rows=[], next_cursor="n", previous_cursor=None, looked_until=(1, 2))
        )[-4:] == [
            "No messages found so far",
            "[Show all messages](/list/)",
            "(label: Pages) [Newer](?newer) [Older](?older)",
            "Only part of the list was searched. The next page continues.",
        ]
        slow = SimpleNamespace(detail="It took too long.", errors=[])
        lines = show(problem=slow, other_errors=["Unknown parameter."])
        assert [
            line
            for line in lines
            if line in ("It took too long.", "Unknown parameter.", "The store is empty")
        ] == [
            "Unknown parameter.",
            "It took too long.",
        ]
