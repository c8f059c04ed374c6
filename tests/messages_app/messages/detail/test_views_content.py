"""The page of a message with values that all differ."""

import re
from datetime import UTC, datetime

import pytest

from messages_app.messages.actions.outcome import Followed, Step
from messages_app.messages.detail.children import RollUp
from messages_app.messages.listing.neighbours import Neighbours
from tests.messages_app.messages.detail.shown_message import NONE, message, moment, section, show
from tests.support.page_outlines import outline_of

# The notes on the message are read.
pytestmark = pytest.mark.django_db


class TestHead:
    def test_shows_all_its_values(self):
        assert outline_of(show(block="heading")) == [
            "Message 71",
            "[billing](/services/billing/) · createInvoice",
            (
                "(label: This list) (title: Back to the list) [List](/messages/?state=FAILED) "
                "[Newer](/messages/72/?state=FAILED) [Older](/messages/70/?state=FAILED)"
            ),
        ]
        assert section("state") == [
            "{FAILED}",
            "{FAILED} FAILED Failed, will not be retried",
            "It failed.",
            "[Restart 62…](/messages/62/restart/)",
            (
                "[Restart](/messages/71/restart/?state=FAILED) [Restart from "
                "scratch](/messages/71/restart/?state=FAILED&total=true) "
                "[Cancel](/messages/71/cancel/?state=FAILED)"
            ),
            "Copy link",
        ]
        assert section("facts") == [
            "Service: [billing](/messages/?service_name=billing)",
            "Operation: [createInvoice](/messages/?operation_name=createInvoice)",
            "Source system: [CRM](/messages/?source_system=CRM)",
            "Correlation id: [corr-1](/messages/?correlation_id=corr-1)",
            "Process id: [proc-1](/messages/?process_id=proc-1)",
            "Object id: [obj-1](/messages/?object_id=obj-1) invoice",
            "Parent: [61](/messages/61/) HARD",
            "Received: 2021-03-05 12:01:00 UTC",
            "2021-03 ago",
            "Last processed: 2022-04-06 12:02:00 UTC",
            "2022-04 ago",
            "Failed attempts: 3 of 2",
            "including restarts",
        ]

    def test_says_who_can_restore_an_archived_message(self):
        shown = section("state", archived=True, actions=[], restore_url="")
        assert "An administrator can restore it to the live tables." in shown
        assert "Restore" not in "".join(shown).replace("can restore", "")
        assert "restore" not in "".join(section("state", restore_url="")).lower()

    def test_leaves_out_what_there_is_not(self):
        bare = message(
            process_id=None,
            object_id=None,
            parent_msg_id=None,
            last_process_timestamp=None,
            state="OK",
            failed_count=0,
        )
        lines = section(
            "state",
            bare,
            archived=True,
            actions=[],
            advised=[],
            explanation=None,
            neighbours=None,
            place="any",
        )
        assert lines == [
            "{OK}",
            "{OK} OK Processed; archived",
            "[Restore…](/restore/)",
            "Copy link",
        ]
        assert section("facts", bare, archived=True, place="any") == [
            "Service: [billing](/messages/?service_name=billing&archived=any)",
            "Operation: [createInvoice](/messages/?operation_name=createInvoice&archived=any)",
            "Source system: [CRM](/messages/?source_system=CRM&archived=any)",
            "Correlation id: [corr-1](/messages/?correlation_id=corr-1&archived=any)",
            "Received: 2021-03-05 12:01:00 UTC",
            "2021-03 ago",
            "Last processed: –",
            "Failed attempts: 0",
        ]
        assert outline_of(show(bare, block="heading", neighbours=None)) == [
            "Message 71",
            "[billing](/services/billing/) · createInvoice",
        ]

    @pytest.mark.parametrize(
        ("state", "count", "words"),
        [
            ("FAILED", 2, ["Failed attempts: 2 of 2"]),
            ("FAILED", 3, ["Failed attempts: 3 of 2", "including restarts"]),
            ("OK", 3, ["Failed attempts: 3", "before it was processed"]),
            ("OK", 0, ["Failed attempts: 0"]),
        ],
    )
    def test_counts_failed_attempts(self, state, count, words):
        assert section("facts", message(state=state, failed_count=count))[-len(words) :] == words

    def test_has_no_neighbours_at_the_ends_of_a_list(self):
        ends = Neighbours(newer=None, older=None, query="")
        assert outline_of(show(block="heading", neighbours=ends))[2:] == [
            "(label: This list) (title: Back to the list) [List](/messages/) Newer Older"
        ]
        alone = section("state", neighbours=ends, actions=["restart"])
        assert [words for words in alone if "restart/" in words] == [
            "[Restart 62…](/messages/62/restart/)",
            "[Restart](/messages/71/restart/) [Restart from scratch](/messages/71/restart/?total=true)",
        ]
        assert "Cancel](" not in str(alone)
        assert "Restart from scratch" not in str(section("state", actions=["cancel"]))


class TestContents:
    def test_count_the_rows_of_their_parts(self):
        assert outline_of(show(), within="message-tabs") == [
            "(label: Parts of the message)",
            "* [Story](#story)",
            "[Payload](#contents)",
            "[Requests 3+](#exchanges)",
            "[Family 131](#family)",
            "[Columns](#columns)",
        ]
        nothing = {"exchanges": NONE, "roll_up": RollUp(states=[], count=0, is_more=False)}
        assert outline_of(show(**nothing), within="message-tabs")[3:5] == [
            "[Requests](#exchanges)",
            "[Family](#family)",
        ]
        more = RollUp(states=[], count=7, is_more=True)
        assert "[Family 7+](#family)" in outline_of(show(roll_up=more), within="message-tabs")

    def test_show_the_story_first_and_the_payload_if_it_has_the_text_of_the_list(self):
        for part in ("story", "contents"):
            shown = re.findall(r'is-current" id="([a-z]+)"', show(shown_part=part))
            assert shown == [part]


class TestError:
    def test_shows_all_its_values(self):
        assert section("error") == [
            "Last error",
            "[E103](/messages/?failed_error_code=E103) kept even if a later attempt succeeds",
            "E103: timed out",
            "Business error: no stock",
            "Stack trace",
            "at Line.java:7",
        ]
        assert section("error", message(failed_desc="short", business_error=""))[2:] == ["short"]
        assert "Last error" not in show(message(failed_desc="", failed_error_code=""))
        assert (
            section("error", message(failed_error_code=""))[1] != "[E103](/messages/?failed_error_code=E103)"
        )


class TestFunnel:
    def test_shows_its_values(self):
        assert section("funnel") == [
            "Funnel",
            "guaranteed order not blocked by failed messages",
            (
                "Values: [account-1](/funnels/?value=account-1&component=route-a) "
                "[account-2](/funnels/?value=account-2&component=route-a)"
            ),
            "Component: [route-a](/funnels/?component=route-a)",
        ]
        alone = message(funnel_component_id=None, guaranteed_order=False, exclude_failed_state=False)
        assert section("funnel", alone, funnel_values=("account-1",)) == [
            "Funnel",
            "Value: [account-1](/funnels/?value=account-1)",
            "Component: –",
        ]
        assert section("funnel", alone, funnel_values=()) == ["Funnel", "Not in a funnel"]
        assert section("funnel", funnel_values=())[2] == "Values: –"


class TestHistory:
    def test_shows_all_its_entries(self):
        assert section("history") == [
            "All changes of state",
            "Only the latest 2 entries are shown.",
            "{FAILED} 2026-11-02 12:51:00 UTCbecame FAILED in [job 52](/jobs/52/)E103the hub",
            "{refused} 2026-11-02 12:53:00 UTCrestart {refused} refusedben",
        ]
        assert "Only the latest" not in str(section("history", changes_cut=False))


class TestOutcome:
    def test_shows_the_steps_since_the_last_action(self):
        followed = Followed(
            action="restart",
            total=False,
            actor="ana",
            at=datetime(2021, 5, 7, tzinfo=UTC),
            reason="why",
            steps=[
                Step(state="PARTLY_FAILED", at=moment(92), actor="ben"),
                Step(state="OK", at=moment(93), actor=""),
            ],
            left_out=True,
            state="OK",
            verdict="It succeeded.",
            is_open=True,
        )
        assert section("followed", followed=followed) == [
            "{OK}",
            "Restarted 2021-05 ago by ana It succeeded.",
            "earlier ones not shown",
            "{PARTLY_FAILED} PARTLY_FAILED2026-11-02 13:32:00 UTC · ben",
            "{OK} OK2026-11-02 13:33:00 UTC · the hub",
            "…",
        ]
        values = followed.__dict__
        scratch = Followed(**{**values, "total": True, "left_out": False, "is_open": False})
        assert section("followed", followed=scratch)[1].startswith("Restarted from scratch")
        assert len(section("followed", followed=scratch)) == 4
        assert section("followed", followed=Followed(**{**values, "action": "cancel"}))[1].startswith(
            "Cancelled"
        )
