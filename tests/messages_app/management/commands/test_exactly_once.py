import sys
from pathlib import Path

import pytest
from django.conf import settings as project
from django.core.management import CommandError, call_command

from messages_app.document_history.services.triggers import suspend_trigger
from tests.support.histories import entries_of, make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


class TestExactlyOnce:
    def program(self, tmp_path, *, status: int = 0) -> list[str]:
        ran = tmp_path / "ran"
        return [sys.executable, "-c", f"open({str(ran)!r}, 'a').write('x'); raise SystemExit({status})"]

    def test_runs_a_program_once(self, tmp_path, capsys):
        make_trigger()
        for _ in range(2):
            call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))
        assert (tmp_path / "ran").read_text() == "x"
        assert "duplicate" in capsys.readouterr().out
        assert set(entries_of()) == {"processing", "completed"}

    def test_fails_with_the_program_which_is_a_duplicate_then(self, tmp_path):
        make_trigger()
        with pytest.raises(CommandError, match="ended with 3") as failed:
            call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path, status=3))
        assert failed.value.returncode == 3
        call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))
        assert (tmp_path / "ran").read_text() == "x"

    def test_runs_nothing_in_doubt_or_without_a_trigger(self, tmp_path):
        make_trigger()
        store_entry("processing")
        with pytest.raises(CommandError, match="In doubt") as in_doubt:
            call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))
        with pytest.raises(CommandError, match="No trigger") as unknown:
            call_command("exactly_once", "t-9", "u-1", *self.program(tmp_path))
        assert (in_doubt.value.returncode, unknown.value.returncode) == (80, 2)
        assert not (tmp_path / "ran").exists()

    def test_needs_a_program(self):
        with pytest.raises(CommandError) as refused:
            call_command("exactly_once", "t-1", "u-1")
        assert refused.value.returncode == 2

    def test_leaves_a_document_new_whose_program_cannot_be_run(self, tmp_path):
        make_trigger()
        with pytest.raises(CommandError, match="'/no/such/program' cannot be run") as refused:
            call_command("exactly_once", "t-1", "u-1", "/no/such/program")
        assert refused.value.returncode == 2
        call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))
        assert (tmp_path / "ran").read_text() == "x"

    @pytest.mark.parametrize("status", [2, 75, 80, 81])
    def test_reports_a_programs_status_that_has_another_meaning_as_1(self, tmp_path, status):
        """
        A caller that reads the program's status 75 as "deliver again" would lose the document as a duplicate.
        """
        make_trigger()
        with pytest.raises(CommandError, match=f"ended with {status}") as failed:
            call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path, status=status))
        assert failed.value.returncode == 1

    def test_reports_a_program_that_was_killed_as_a_shell_does(self):
        make_trigger()
        killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
        with pytest.raises(CommandError) as failed:
            call_command("exactly_once", "t-1", "u-1", *killed)
        assert failed.value.returncode == 137

    def test_returns_no_verdict_while_the_trigger_is_suspended(self, tmp_path):
        make_trigger(resolver="tests.down", use_history=False)
        suspend_trigger(trigger_id="t-1", because="the ledger is away")
        with pytest.raises(CommandError, match="suspended") as undecided:
            call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))
        assert undecided.value.returncode == 75
        assert not (tmp_path / "ran").exists()

    def test_exits_with_the_requested_status_for_a_duplicate(self, tmp_path):
        make_trigger()
        store_both()
        with pytest.raises(CommandError, match="A duplicate") as duplicate:
            call_command("exactly_once", "--duplicate-status", "10", "t-1", "u-1", *self.program(tmp_path))
        assert duplicate.value.returncode == 10
        call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))

    @pytest.mark.parametrize("status", ["256", "-1", "x", ""])
    def test_refuses_a_status_that_is_not_one(self, status):
        with pytest.raises(CommandError, match="duplicate-status"):
            call_command("exactly_once", f"--duplicate-status={status}", "t-1", "u-1", "true")

    def test_has_its_statuses_documented(self):
        page = (Path(project.BASE_DIR) / "docs/howto/process_documents_exactly_once.md").read_text(
            encoding="utf-8"
        )
        shell = page.split("## From a shell", 1)[1].split("## Resolvers", 1)[0]
        assert {line.split(" | ")[0].strip("| ") for line in shell.splitlines() if line.startswith("| ")} == {
            "status",
            "0",
            "80",
            "1, 3 and every other",
            "81",
            "75",
            "2",
        }
