from datetime import UTC, datetime

from messages_app.messages.diagnosis.answer import explained, step
from messages_app.messages.diagnosis.reasons import By, NextStep, Reason

NOTHING = step(NextStep.NOTHING, By.NOBODY)


class TestStep:
    def test_writes_times_as_iso(self):
        at = datetime(2026, 11, 21, 13, 58, 7, tzinfo=UTC)
        assert step(NextStep.POLL, By.HUB, at=at, becomes="PROCESSING") == {
            "what": "poll",
            "at": "2026-11-21T13:58:07Z",
            "latest": None,
            "by": "hub",
            "becomes": "PROCESSING",
        }


class TestExplained:
    def test_joins_the_sentences_that_there_are(self):
        assert explained(Reason.DONE, "One.", "", "Two.", then=NOTHING).summary == "One. Two."

    def test_mentions_what_the_summary_names(self):
        found = explained(Reason.DONE, "Message 7 of 12.", then=NOTHING, blocked_by=[7, 8], names=[12, 1, 7])
        assert found.blocked_by == [7, 8]
        assert found.mentions == [7, 12]

    def test_cuts_the_blockers(self):
        assert len(explained(Reason.DONE, "", then=NOTHING, blocked_by=list(range(50))).blocked_by) == 20
