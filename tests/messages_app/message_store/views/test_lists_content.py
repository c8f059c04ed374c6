"""The list of stored messages with values that all differ."""

import re

from django.contrib.auth.models import User
from django.http import QueryDict

from messages_app.core.pagination.paginator import Page
from messages_app.core.problems import FieldError, Problem
from messages_app.message_store.models import MessageLine, MessageProcess, MessageStore
from messages_app.message_store.selectors import ListedMessage
from messages_app.message_store.states import badge_of
from messages_app.message_store.views.lists import MessagesForm
from tests.messages_app.message_store.views.shown_lines import line, moment, show
from tests.support.page_outlines import show_block

ADMIN = User(username="ada", is_superuser=True)


def listed(shown: MessageLine, *, store: MessageStore | None = None, error: str = "") -> tuple:
    store = store or MessageStore(message_identifier=shown.message_identifier)
    process = MessageProcess(message_identifier=shown.message_identifier, error_message=error or None)
    return ListedMessage(line=shown, store=store, process=process), badge_of(shown.status)


LINES = [
    listed(line(11, muted_at=moment(1)), store=MessageStore(refresh=True, user_name="ana"), error="no key"),
    listed(line(12, status=2, next_attempt_timestamp=moment(2), has_process=False)),
    listed(line(13, status=2, source_system=None, source_entity=None)),
    listed(line(14, status=1, claimed_at=moment(3))),
]


class TestMessageList:
    def show(
        self, query: str = "", *, errors: tuple = (), user: User | None = None, **values: object
    ) -> list[str]:
        form = MessagesForm(QueryDict(query), allowed=MessagesForm.filters.keys(), errors=errors)
        context = {
            "form": form,
            "problem": None,
            "other_errors": [],
            "is_narrowed": bool(query),
            "list": "/message-store/messages/",
            "lines": LINES,
            "page": Page(rows=[], next_cursor=None, previous_cursor=None),
            "newer": "?newer",
            "older": "?older",
            "most_exported": 91,
        }
        return show("messages", user=user, **context | values)

    def test_shows_all_values_of_its_messages(self):
        lines = self.show()
        assert lines[lines.index("Messages of the store") :] == [
            "Messages of the store",
            "Status | Created | System / entity | Message | Attempts | Next attempt | Error",
            (
                "{done} (title: Its records have been written.) 10 processed muted | 2026-11-02 12:11:00 "
                "@2026-11-02T12:11:00Z | system-11 / entity-11 (title: It ends all records of its entity "
                "that it does not contain.) refresh by ana | [0193-11](/message-store/messages/0193-11/) | "
                "111 | – | no key"
            ),
            (
                "{planned} (title: Refers to missing records; retried at its next attempt.) 2 requires "
                "reprocessing no process row | 2026-11-02 12:12:00 @2026-11-02T12:12:00Z | system-12 / "
                "entity-12 | [0193-12](/message-store/messages/0193-12/) | 112 | 2026-11-02 12:02:00 some "
                "time ago | –"
            ),
            (
                "{planned} (title: Refers to missing records; retried at its next attempt.) 2 requires "
                "reprocessing | 2026-11-02 12:13:00 @2026-11-02T12:13:00Z | – / – | "
                "[0193-13](/message-store/messages/0193-13/) | 113 | due | –"
            ),
            (
                "{running} (title: An attempt is in progress, or died and has not timed out yet.) 1 "
                "processing | 2026-11-02 12:14:00 @2026-11-02T12:14:00Z | system-14 / entity-14 | "
                "[0193-14](/message-store/messages/0193-14/) | 114 | in progress for @2026-11-02T12:03:00Z "
                "| –"
            ),
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]

    def test_keeps_its_filter_in_all_links(self):
        lines = self.show("status=20&user_name=ana&ordering=message_timestamp", user=ADMIN)
        lines = [line.replace("/message-store/messages/export/", "EXPORT") for line in lines]
        assert lines[lines.index("More fields") - 1 : lines.index("Messages of the store")] == [
            "*",
            "More fields",
            "Created to (UTC)",
            "<message_timestamp_to=>",
            "Status",
            "<status=20>",
            "User",
            "<user_name=ana>",
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
            "[Clear](/message-store/messages/)",
            "[All](?user_name=ana&ordering=message_timestamp)",
            "[Waiting](?user_name=ana&ordering=message_timestamp&status=0,2)",
            "[In progress](?user_name=ana&ordering=message_timestamp&status=1,3)",
            "[Processed](?user_name=ana&ordering=message_timestamp&status=10)",
            "[In error](?user_name=ana&ordering=message_timestamp&status=20,21,22,23,24,25,26)",
            "[Refresh](?status=20&user_name=ana&ordering=message_timestamp&refresh=true)",
            "[Orphans](?status=20&user_name=ana&ordering=message_timestamp&orphaned=true)",
            "[Muted](?status=20&user_name=ana&ordering=message_timestamp&muted=true)",
            "[Newest first](?status=20&user_name=ana&ordering=-message_timestamp)",
            "* [Oldest first](?status=20&user_name=ana&ordering=message_timestamp)",
            (
                "(title: At most 91 messages, in this order, without their data) "
                "[CSV]"
                "(EXPORT?format=csv&status=20&user_name=ana&ordering=message_timestamp) "
                "· (title: At most 91 messages, in this order, without their data) [JSON "
                "lines]"
                "(EXPORT?format=jsonl&status=20&user_name=ana&ordering=message_timestamp) "
                "[Reprocess all matching messages](/jobs/new/?kind=reprocess&status=20&user_name=ana)"
            ),
        ]

    def test_shows_errors_next_to_their_fields_and_above_the_list(self):
        wrong = FieldError(field="source_system", code="invalid", message="Too long.")
        problem = Problem(400, "bad_input", "Bad.", errors=[wrong])
        lines = self.show(
            "source_system=x", errors=(wrong,), problem=problem, other_errors=["Odd name."], lines=[]
        )
        assert lines[:6] == [
            "(/message-store/messages/)",
            "System",
            "<source_system=x>",
            "Too long.",
            "Entity",
            "<source_entity=>",
        ]
        assert lines[-4:] == [
            "[Muted](?source_system=x&muted=true)",
            "* [Newest first](?source_system=x&ordering=-message_timestamp)",
            "[Oldest first](?source_system=x&ordering=message_timestamp)",
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]
        slow = Problem(503, "query_too_slow", "It took too long.")
        assert "It took too long." in self.show("source_system=x", problem=slow, lines=[])
        assert "Bad." not in lines

    def test_offers_jobs_only_for_the_matching_messages(self):
        assert "Reprocess all" not in str(self.show(user=ADMIN))
        assert "[Clear]" not in str(self.show(user=ADMIN))
        assert "Reprocess all" not in str(self.show("status=20", user=ADMIN, lines=[]))
        assert "CSV" not in str(self.show("status=20", lines=[]))

    def test_keeps_what_has_no_field(self):
        form = MessagesForm(QueryDict("refresh=true&page_size=7"), allowed=MessagesForm.filters.keys())
        page = Page(rows=[], next_cursor=None, previous_cursor=None)
        markup = show_block(
            "messages_app/message_store/messages.html", block="store_content", form=form, page=page
        )
        hidden = re.findall(r'<input type="hidden" name="(.*?)" value="(.*?)">', markup)
        assert hidden == [("refresh", "true"), ("page_size", "7")]
        assert '<details class="store-further">' in markup

    def test_says_that_there_are_none(self):
        part = Page(rows=[], next_cursor=None, previous_cursor=None, looked_until=(1, 2))
        assert self.show(lines=[])[-2:] == [
            "The store is empty",
            "(label: Pages) [Newer](?newer) [Older](?older)",
        ]
        assert self.show("status=20", lines=[], newer=None, older=None)[-2:] == [
            "No messages found",
            "[Show all messages](/message-store/messages/)",
        ]
        assert self.show("status=20", lines=[], page=part)[-4:] == [
            "No messages found so far",
            "[Show all messages](/message-store/messages/)",
            "(label: Pages) [Newer](?newer) [Older](?older)",
            "Only part of the list was searched. The next page continues.",
        ]
