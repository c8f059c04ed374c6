import json
import shlex
from io import StringIO

import pytest
from django.core.management import CommandError, call_command, load_command_class

from tests.support.factories import make_message, make_user

OURS = [
    "archive",
    "archive_history",
    "cancel",
    "create_token",
    "demo",
    "doctor",
    "export",
    "grant",
    "load_messages",
    "reprocess",
    "restart",
    "restore",
    "sweep_document_history",
]


class TestHelp:
    @pytest.mark.parametrize("name", OURS)
    def test_has_examples_that_the_command_reads(self, name):
        command = load_command_class("messages_app", name)
        parser = command.create_parser("manage.py", name)
        text = parser.format_help()
        for example in command.examples:
            assert f"  python manage.py {example}" in text
            if example.startswith(f"{name} "):
                parser.parse_args(_words(example)[1:])


def _words(line: str) -> list[str]:
    return shlex.split(line, comments=True)


@pytest.mark.django_db
class TestJson:
    def test_reports_the_result_to_programs(self):
        make_message(state="FAILED")
        make_user("operator", username="ada")
        job = _json("restart", "state=FAILED", "--json")
        assert (job["kind"], job["state"], job["filter"]) == ("restart", "planning", {"state": "FAILED"})
        token = _json("create_token", "ada", "--json", "--per-minute", "60")
        assert token["key"].startswith("hubc_")
        assert token["expires_at"].endswith("Z")
        assert _json("sweep_document_history", "--json") == {"removed": 0}

    def test_also_fails_with_a_text(self, tmp_path):
        broken = tmp_path / "broken.jsonl"
        broken.write_text("{\n")
        printed = StringIO()
        with pytest.raises(CommandError, match="0 loaded, 1 refused"):
            call_command("load_messages", str(broken), "--json", stdout=printed, stderr=StringIO())
        assert json.loads(printed.getvalue()) == {"loaded": 0, "refused": 1}


def _json(*arguments: str) -> dict:
    printed = StringIO()
    call_command(*arguments, stdout=printed)
    return json.loads(printed.getvalue())
