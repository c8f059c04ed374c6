import sys

import pytest
from django.core.management import CommandError, call_command

from messages_app.audit.models import AuditEntry
from tests.histories import entries_of, make_trigger, store_both, store_entry

pytestmark = pytest.mark.django_db


class TestSweepDocumentHistory:
    def test_says_how_many_it_removed(self, capsys):
        make_trigger()
        store_both(age="3 days")
        call_command("sweep_document_history", reason="disk")
        assert capsys.readouterr().out == "Removed 2 entries.\n"
        entry = AuditEntry.objects.get(action="sweep_documents")
        assert entry.actor.startswith("command line")


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
        with pytest.raises(CommandError, match="ended with 3"):
            call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path, status=3))
        call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))
        assert (tmp_path / "ran").read_text() == "x"

    def test_runs_nothing_in_doubt_or_without_a_trigger(self, tmp_path):
        make_trigger()
        store_entry("processing")
        with pytest.raises(CommandError, match="In doubt"):
            call_command("exactly_once", "t-1", "u-1", *self.program(tmp_path))
        with pytest.raises(CommandError, match="No trigger"):
            call_command("exactly_once", "t-9", "u-1", *self.program(tmp_path))
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
