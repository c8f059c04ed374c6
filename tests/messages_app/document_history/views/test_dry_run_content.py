"""The dry run of a delivery, with values that all differ."""

from django.http import QueryDict

from messages_app.document_history.dry_run import DryRun
from messages_app.document_history.states import Pair, Rule, Verdict
from messages_app.document_history.views.dry_run import DeliveryForm
from tests.messages_app.document_history.views.shown_documents import show

FOUND = DryRun(
    rule=Rule.BOTH_ENTRIES,
    verdict=Verdict.DUPLICATE,
    uuid="u-31",
    pair=Pair.BOTH,
    is_suspended=False,
    steps=["The redelivery count is 3.", "The UUID is u-31.", "It was processed."],
)
ASKED = "trigger_id=t-2&uuid=u-31&track_id=k-32&event_id=e-33&redelivery_count=3&volatile=on"


def shown(found: DryRun | None, asked: str = ASKED, trigger_id: str = "t-2") -> list[str]:
    form = DeliveryForm(QueryDict(asked))
    form.is_valid()
    triggers = [("t-1", "trigger 1"), ("t-2", "trigger 2")]
    return show("dry_run", form=form, result=found, triggers=triggers, trigger_id=trigger_id)


def result(**changes: object) -> list[str]:
    lines = shown(DryRun(**vars(FOUND) | changes))
    return lines[lines.index("Result") :]


class TestDryRun:
    def test_shows_the_delivery_and_the_rule(self):
        assert shown(FOUND) == [
            "Delivery",
            "Trigger",
            "<trigger_id>",
            "<> Select a trigger",
            "<t-1> trigger 1",
            "<t-2> * trigger 2",
            "UUID",
            "<uuid=u-31>",
            "Track id (if there is no UUID)",
            "<track_id=k-32>",
            "Event id (if there is no track id)",
            "<event_id=e-33>",
            "Redelivery count",
            "<redelivery_count=3>",
            "0: first delivery; -1 or empty: not counted.",
            "<volatile> * Volatile: not guaranteed",
            "Start dry run",
            "Result",
            "{DUPLICATE} (title: Already processed: acknowledged, not processed again.) Duplicate",
            "The redelivery count is 3.",
            "The UUID is u-31.",
            "It was processed.",
            "Rule: both_entries",
            "Decided by: History",
            "UUID: u-31",
        ]

    def test_shows_each_verdict(self):
        assert result(verdict=Verdict.NEW, rule=Rule.NO_ENTRY)[1:2] == [
            "{NEW} (title: It will be processed.) New",
        ]
        assert result(verdict=Verdict.IN_DOUBT)[1:2] == [
            (
                "{IN_DOUBT} (title: Unknown whether it was processed: acknowledged, not processed, kept"
                " for an operator.) In doubt"
            ),
        ]
        assert result(verdict=None, rule=Rule.ASK_RESOLVER, uuid=None, steps=["One."])[1:] == [
            "decided by the resolver",
            "One.",
            "Rule: ask_resolver",
            "Decided by: Resolver",
            "UUID: –",
        ]
        assert result(verdict=None, is_suspended=True)[1:2] == [
            "no verdict: suspended",
        ]

    def test_shows_no_result_of_an_invalid_delivery(self):
        lines = shown(None, "trigger_id=&redelivery_count=-2", trigger_id="")
        assert lines == [
            "Delivery",
            "Trigger",
            "<trigger_id>",
            "<> Select a trigger",
            "<t-1> trigger 1",
            "<t-2> trigger 2",
            "Select a trigger.",
            "UUID",
            "<uuid>",
            "Track id (if there is no UUID)",
            "<track_id>",
            "Event id (if there is no track id)",
            "<event_id>",
            "Redelivery count",
            "<redelivery_count=-2>",
            "0: first delivery; -1 or empty: not counted.",
            "Ensure this value is greater than or equal to -1.",
            "<volatile> Volatile: not guaranteed",
            "Start dry run",
        ]

    def test_reads_the_delivery_as_it_was_written(self):
        forms = [
            DeliveryForm(QueryDict(asked))
            for asked in (ASKED, "trigger_id=t-2", "trigger_id=t-2&redelivery_count=0")
        ]
        assert all(form.is_valid() for form in forms)
        no_ids = {"trigger_id": "t-2", "uuid": "", "track_id": "", "event_id": ""}
        assert [form.read_parts() for form in forms] == [
            {
                "trigger_id": "t-2",
                "uuid": "u-31",
                "track_id": "k-32",
                "event_id": "e-33",
                "redelivery_count": 3,
                "is_guaranteed": False,
            },
            no_ids | {"redelivery_count": -1, "is_guaranteed": True},
            no_ids | {"redelivery_count": 0, "is_guaranteed": True},
        ]
