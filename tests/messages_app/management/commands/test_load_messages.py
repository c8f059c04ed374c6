import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from messages_app.messages.models import Message

DOCUMENTS = Path(__file__).parents[3] / "documents"


@pytest.mark.django_db
class TestLoadMessages:
    def test_shows_what_it_loaded(self, capsys):
        call_command("load_messages", str(DOCUMENTS))
        assert capsys.readouterr().out == "9 loaded, 0 refused.\n"

    def test_loads_documents_with_a_doctype_only_on_request(self, tmp_path):
        path = tmp_path / "order.xml"
        path.write_text('<!DOCTYPE Pip3A4 SYSTEM "http://127.0.0.1:9/x.dtd"><Pip3A4/>')
        with pytest.raises(CommandError, match="0 loaded, 1 refused"):
            call_command("load_messages", str(path), stderr=StringIO())
        call_command("load_messages", str(path), "--with-doctype")
        message = Message.objects.get()
        assert (message.operation_name, message.payload) == ("Pip3A4", path.read_text())

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

    def test_exits_with_1_if_a_file_of_the_store_cannot_be_moved(self, capsys, tmp_path):
        inbox, done = tmp_path / "in", tmp_path / "done"
        inbox.mkdir()
        done.mkdir()
        # The longest name: the folder has one already, and a number does not fit in.
        longest = "a" * 250 + ".json"
        (done / longest).write_text("earlier")
        for name in (longest, "b.json", "c.json"):
            (inbox / name).write_text('{"system": "crm", "entity": "customer", "data": [{"id": 1}]}')
        with pytest.raises(CommandError) as failure:
            call_command("load_messages", str(inbox), "--store", "--move-to", str(done))
        assert (str(failure.value), failure.value.returncode) == (
            "3 stored, 0 dropped, 0 refused. 1 files not moved.",
            1,
        )
        printed = capsys.readouterr()
        assert printed.out == ""
        assert f"{longest}: taken, but cannot be moved: File name too long." in printed.err
        assert [file.name for file in inbox.iterdir()] == [longest]
        (inbox / longest).rename(inbox / "d.json")
        call_command("load_messages", str(inbox), "--store", "--move-to", str(done), "--json")
        assert (
            json.loads(capsys.readouterr().out).items()
            >= {
                "stored": 1,
                "dropped": 0,
                "refused": 0,
                "unmoved": 0,
            }.items()
        )
        assert sorted(file.name for file in done.iterdir()) == [longest, "b.json", "c.json", "d.json"]
