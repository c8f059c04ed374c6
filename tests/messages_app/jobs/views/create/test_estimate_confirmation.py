"""The confirmation on the page of a new job, with numbers that all differ."""

import re

from messages_app.jobs.views.create.forms import new_confirmation, open_confirmation
from tests.messages_app.jobs.views.create.test_estimate_figures import (
    REPROCESSED,
    figures,
    show,
    show_confirmation,
)
from tests.support.page_outlines import outline_of


class TestConfirmNumber:
    def test_asks_to_type_a_large_number(self):
        large = {"planned": 2_400, "to_do": 2_300, "is_exact": True}
        assert outline_of(show_confirmation(large)) == [
            "Type 2 300 to confirm",
            "<typed>",
            "Restart 2 300 messages",
            (
                "The selection is frozen when the job starts. If it has over 10 % more messages than 2 "
                "300, the job waits for your confirmation. Messages whose state changes meanwhile are "
                "skipped and listed."
            ),
        ]

    def test_says_how_exact_the_number_is(self):
        exact = {"planned": 1, "is_exact": True}
        close = {"planned": 140, "to_do": 101, "to_do_between": [98, 104], "is_exact": False}
        wide = {"planned": 140, "to_do": 101, "to_do_between": [60, 160], "is_exact": False}
        assert outline_of(show_confirmation(exact)) == [
            "Restart 1 message",
            (
                "The selection is frozen when the job starts. If it has over 10 % more messages than 1, "
                "the job waits for your confirmation. Messages whose state changes meanwhile are skipped "
                "and listed."
            ),
        ]
        assert outline_of(show_confirmation(close)) == [
            "Restart about 101 messages",
            "Count exactly",
            (
                "The selection is frozen when the job starts. If it has over 10 % more messages than 101, "
                "the job waits for your confirmation. Messages whose state changes meanwhile are skipped "
                "and listed."
            ),
        ]
        assert outline_of(show_confirmation(wide, total=True)) == [
            "Restart up to 160 messages from scratch",
            "Count exactly",
            (
                "The selection is frozen when the job starts. If it has over 10 % more messages than 160, "
                "the job waits for your confirmation. Messages whose state changes meanwhile are skipped "
                "and listed."
            ),
        ]

    def test_offers_a_dry_run_until_there_is_one(self):
        wide = {"planned": 140, "to_do_between": [60, 160], "is_exact": False}
        assert outline_of(show_confirmation(wide, "reprocess"))[1] == "Count and start a dry run"
        assert (
            outline_of(show_confirmation({"planned": 7, "is_exact": True}, "reprocess"))[1]
            == "Start a dry run"
        )
        assert outline_of(show_confirmation(REPROCESSED, "reprocess"))[1] == (
            "The selection is frozen when the job starts. If it has over 10 % more messages than 7, the "
            "job waits for your confirmation. Messages whose state changes meanwhile are skipped and "
            "listed."
        )

    def test_starts_nothing_without_a_message(self):
        nothing = {"planned": 0, "is_exact": True}
        assert (show(nothing)[0], outline_of(show_confirmation(nothing))) == ("No messages match", [])
        none = {"planned": 9, "to_do": 0, "is_exact": True}
        assert outline_of(show_confirmation(none)) == ["None of these messages can be restarted now."]

    def test_sends_back_what_was_shown(self):
        shown = figures({"planned": 1})
        seen = new_confirmation(kind="restart", filter={}, about={}, to_do=shown.to_do)
        markup = show_confirmation({"planned": 1}, seen=seen)
        (sealed,) = re.findall(r'name="shown" value="([^"]+)"', markup)
        assert open_confirmation(sealed) == (seen, False)
        assert "hx-swap-oob" not in markup
        assert 'hx-swap-oob="true"' in show_confirmation({"planned": 1}, out_of_band=True)

    def test_marks_dangerous_actions(self):
        one = {"planned": 1, "is_exact": True}
        assert '<button class="c-button-danger-main c-thumb" data-start>' in show_confirmation(one, "cancel")
        assert '<button class="c-button-main c-thumb" data-start>' in show_confirmation(one)
