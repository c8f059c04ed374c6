import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from messages_app.jobs.archive_months.tables import is_by_month
from tests.messages_app.jobs.archive_months.test_services import JANUARY_2020
from tests.support.archive_months import by_month, end_past_at, plain_archive

pytestmark = pytest.mark.django_db(transaction=True)


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("archive_months", *arguments, stdout=out)
    return out.getvalue().strip()


class TestArchiveMonths:
    def test_only_describes_a_change_without_yes(self):
        with plain_archive():
            assert said() == "The archive tables are not partitioned by month."
            assert said("--partition") == "The archive tables would be partitioned by month. Add --yes."
            assert not is_by_month()

    def test_lists_the_months_of_a_new_database(self):
        with plain_archive():
            pass  # Its end creates them again.
        lines = said().splitlines()
        assert len(lines) == 5
        assert lines[-1].startswith("other: messages not counted yet, ")

    def test_lists_detaches_and_attaches_a_month(self):
        with by_month() as past:
            assert said().startswith(f"{past}: about 0 messages, ")
            end_past_at(past, JANUARY_2020)
            assert said("--detach", "before-2020-01").startswith("The month before-2020-01 would be detached")

            shown = json.loads(said("--detach", "before-2020-01", "--yes", "--reason", "old", "--json"))
            assert "detached_archive_message_before_2020_01" in shown["tables"]
            assert ", detached\n" in said()
            out = StringIO()
            call_command("erase_subject", "C-4711", "--dry-run", stdout=out)
            assert "Not searched: the month before-2020-01 is detached" in out.getvalue()
            assert said("--attach", "before-2020-01", "--yes").startswith(
                "The month before-2020-01 is attached"
            )
            assert "detached" not in said()

    def test_says_why_a_change_is_refused(self):
        with plain_archive(), pytest.raises(CommandError, match="not partitioned by month"):
            call_command("archive_months", "--detach", "2020-05", "--yes")
        with pytest.raises(CommandError, match="partitioned already"):
            call_command("archive_months", "--partition", "--yes")
        with pytest.raises(CommandError, match="a month such as 2026-05"):
            call_command("archive_months", "--detach", "2020-13")
