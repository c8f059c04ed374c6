from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

DOCUMENTS = Path(__file__).parents[3] / "documents"


@pytest.mark.django_db
class TestLoadMessages:
    def test_shows_what_it_loaded(self, capsys):
        call_command("load_messages", str(DOCUMENTS))
        assert capsys.readouterr().out == "9 loaded, 0 refused.\n"

    def test_exits_with_1_if_something_was_refused(self, capsys, tmp_path):
        bad = tmp_path / "bad.xml"
        bad.write_text("no")
        with pytest.raises(CommandError, match=r"9 loaded, 1 refused\.") as refusal:
            call_command("load_messages", str(DOCUMENTS), str(bad))
        assert refusal.value.returncode == 1
        assert str(bad) in capsys.readouterr().err

    def test_exits_with_2_if_a_path_is_missing(self, tmp_path):
        with pytest.raises(CommandError, match="nowhere does not exist") as refusal:
            call_command("load_messages", str(tmp_path / "nowhere"))
        assert refusal.value.returncode == 2

    def test_requires_a_path(self):
        with pytest.raises(CommandError, match="PATH"):
            call_command("load_messages")
