"""`export_manual` writes the manual without a database, and names a folder that it may not replace."""

import json
import re

import pytest
from django.core.management import CommandError, call_command

from messages_app.manual.library import read_manual


class TestExportManual:
    def test_writes_every_page(self, tmp_path, capsys):
        call_command("export_manual", str(tmp_path / "hub"), "--json")
        result = json.loads(capsys.readouterr().out)
        written = [path for path in (tmp_path / "hub").rglob("*") if path.is_file()]
        assert result["pages"] == len(read_manual().chapters) + 1
        assert result["files"] == len(written) - 1

    def test_refuses_a_folder_of_others(self, tmp_path):
        (tmp_path / "index.html").write_text("ours")
        with pytest.raises(CommandError, match=re.escape(f"{tmp_path} is not empty")):
            call_command("export_manual", str(tmp_path))

    def test_needs_the_manual(self, tmp_path, settings):
        settings.BASE_DIR = tmp_path
        with pytest.raises(CommandError, match="The folder docs of the release is missing"):
            call_command("export_manual", str(tmp_path / "hub"))
        assert not (tmp_path / "hub").exists()
