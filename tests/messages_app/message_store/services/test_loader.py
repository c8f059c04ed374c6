import json

import pytest
from django.core.management import CommandError, call_command

from messages_app.message_store.models import MessageStore
from messages_app.message_store.services.begin import take_one
from tests.support.stores import define, process, status_of, store

pytestmark = pytest.mark.django_db

IDENTIFIER = "123e4567-e89b-12d3-a456-426614174000"


def load(*paths, **options) -> None:
    call_command("load_messages", *map(str, paths), store=True, **options)


class TestLoadMessages:
    def test_loads_one_message_lines_and_folders(self, tmp_path, capsys):
        define()
        one = {"system": "crm", "entity": "customer", "data": [{"id": 1}], "process": True}
        (tmp_path / "a.json").write_text(json.dumps(one | {"identifier": IDENTIFIER}))
        (tmp_path / "b.jsonl").write_text("\n".join(json.dumps(one | {"user": name}) for name in "xy"))
        (tmp_path / "c.txt").write_text("not a message")
        load(tmp_path)
        assert capsys.readouterr().out == "3 stored, 0 dropped, 0 refused.\n"
        assert status_of(IDENTIFIER) == 10

    def test_loads_the_folders_in_a_folder(self, tmp_path, capsys):
        one = {"system": "crm", "entity": "customer", "data": [{"id": 1}]}
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "a" / "b" / "c.json").write_text(json.dumps(one))
        (tmp_path / "a" / "loop").symlink_to(tmp_path)
        with pytest.raises(CommandError, match="1 stored, 0 dropped, 1 refused"):
            load(tmp_path)
        assert "loop: a link to a folder" in capsys.readouterr().err

    def test_moves_only_the_files_that_are_directly_in_the_inbox(self, tmp_path):
        one = {"system": "crm", "entity": "customer", "data": [{"id": 1}]}
        inbox, done = tmp_path / "in", tmp_path / "done"
        (inbox / "later").mkdir(parents=True)
        done.mkdir()
        for path in (inbox / "a.json", inbox / "later" / "a.json"):
            path.write_text(json.dumps(one))
        load(inbox, move_to=done)
        assert [file.name for file in done.iterdir()] == ["a.json"]
        assert (inbox / "later" / "a.json").exists()

    def test_shows_what_it_drops_and_refuses(self, tmp_path, capsys):
        lines = ['{"identifier": "%s", "data": []}' % IDENTIFIER] * 2 + ["no json", "[]", '{"entity": 7}']  # noqa: UP031
        (tmp_path / "b.jsonl").write_text("\n".join(lines))
        with pytest.raises(CommandError, match="1 stored, 1 dropped, 3 refused"):
            load(tmp_path / "b.jsonl")
        said = capsys.readouterr().err
        assert f"line 2: dropped, {IDENTIFIER} exists with the same content." in said
        assert "line 5: entity must be text" in said

    def test_shows_that_an_identifier_exists_with_other_content(self, tmp_path, capsys):
        for data in ("[1]", "[2]"):
            (tmp_path / "a.json").write_text(f'{{"identifier": "{IDENTIFIER}", "data": {data}}}')
            load(tmp_path / "a.json")
        assert f"dropped, {IDENTIFIER} exists with other content." in capsys.readouterr().err
        assert MessageStore.objects.get().data == "[1]"

    def test_loads_the_files_of_all_paths_once(self, tmp_path, capsys):
        for name in ("a", "b", "c"):
            (tmp_path / name).mkdir()
            (tmp_path / name / f"{name}.json").write_text(f'{{"data": ["{name}"]}}')
        load(tmp_path / "a", tmp_path / "b" / "b.json", tmp_path / "b", tmp_path / "c")
        assert capsys.readouterr().out == "3 stored, 0 dropped, 0 refused.\n"
        assert set(MessageStore.objects.values_list("data", flat=True)) == {'["a"]', '["b"]', '["c"]'}

    def test_takes_only_files_with_messages_from_an_inbox(self, tmp_path, capsys):
        inbox, done = tmp_path / "in", tmp_path / "done"
        (inbox / "folder.json").mkdir(parents=True)
        done.mkdir()
        for name in ("a.json", "b.JSON", "c.ndjson", "d.txt", "e"):
            (inbox / name).write_text('{"data": []}')
        load(inbox, move_to=done)
        assert capsys.readouterr().out == "3 stored, 0 dropped, 0 refused.\n"
        assert {file.name for file in done.iterdir()} == {"a.json", "b.JSON", "c.ndjson"}
        assert {file.name for file in inbox.iterdir()} == {"folder.json", "d.txt", "e"}

    def test_takes_the_lines_of_a_file_as_one_text_of_data(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('{"id": 1}\n{"id": 2}')
        load(tmp_path / "a.jsonl", all_data=True, system=("crm",), entity=("customer",))
        assert MessageStore.objects.get().data == '{"id": 1}\n{"id": 2}'

    def test_accepts_allowed_systems_and_uses_a_single_one_as_the_default(self, tmp_path):
        (tmp_path / "b.jsonl").write_text('{"system": "crm"}\n{"system": "erp"}\n{}')
        with pytest.raises(CommandError, match="1 stored, 0 dropped, 2 refused"):
            load(tmp_path, system=("crm", "mdm"), entity=("customer",))
        assert MessageStore.objects.get().source_entity == "customer"

    def test_loads_only_data(self, tmp_path):
        define()
        (tmp_path / "data.json").write_text('[{"id": 1}, {"id": 2}]')
        load(tmp_path, all_data=True, system=("crm",), entity=("customer",), refresh=True)
        message = MessageStore.objects.get()
        assert (message.refresh, message.data) == (True, '[{"id": 1}, {"id": 2}]')
        assert process(message.pk).status == 10

    def test_loads_each_file_of_an_inbox_once_and_moves_complete_ones(self, tmp_path, capsys):
        define()
        inbox, done = tmp_path / "in", tmp_path / "done"
        inbox.mkdir()
        done.mkdir()
        one = {"system": "crm", "entity": "customer", "data": [{"id": 1}]}
        (inbox / "whole.json").write_text(json.dumps(one))
        # Someone still writes it.
        line = json.dumps(one)
        (inbox / "half.jsonl").write_text(f"{line}\n{line[:20]}")
        with pytest.raises(CommandError, match="2 stored, 0 dropped, 1 refused"):
            load(inbox, move_to=done)
        assert [file.name for file in done.iterdir()] == ["whole.json"]
        assert "half.jsonl, line 2: " in capsys.readouterr().err
        with (inbox / "half.jsonl").open("a") as file:
            file.write(f"{line[20:]}\n")
        (inbox / "whole.json").write_text(json.dumps(one))
        load(inbox, move_to=done)
        # The earlier line is dropped; the file of the same name and content is another one.
        assert capsys.readouterr().out == "2 stored, 1 dropped, 0 refused.\n"
        assert sorted(file.name for file in done.iterdir()) == ["half.jsonl", "whole.1.json", "whole.json"]
        for wrong in (inbox, tmp_path / "nowhere"):
            with pytest.raises(CommandError) as refused:
                load(inbox, move_to=wrong)
            assert refused.value.returncode == 2

    def test_loads_a_file_once_if_a_run_dies_before_moving_it(self, tmp_path, capsys):
        inbox, kept = tmp_path / "in", tmp_path / "kept"
        inbox.mkdir()
        kept.mkdir()
        (inbox / "a.json").write_text('[{"id": 1}]')
        load(inbox, move_to=kept, all_data=True, entity=("customer",))
        (kept / "a.json").rename(inbox / "a.json")
        load(inbox, move_to=kept, all_data=True, entity=("customer",))
        assert capsys.readouterr().out.endswith("0 stored, 1 dropped, 0 refused.\n")
        assert MessageStore.objects.count() == 1

    def test_refuses_a_path_that_does_not_exist(self, tmp_path):
        with pytest.raises(CommandError) as refused:
            load(tmp_path / "no")
        assert refused.value.returncode == 2


class TestTheFileStore:
    def test_returns_the_data_of_a_message(self, settings, tmp_path):
        settings.MESSAGE_STORE_FILES = tmp_path
        (tmp_path / "in").mkdir()
        (tmp_path / "in" / "a.json").write_text('[{"id": 1}]')
        define()
        assert process(stored("in/a.json")).status == 10

    def test_is_not_left_by_a_link(self, settings, tmp_path):
        root = tmp_path / "root"
        root.mkdir()
        (tmp_path / "secret.json").write_text('[{"id": 1}]')
        (root / "link.json").symlink_to(tmp_path / "secret.json")
        (root / "folder").symlink_to(tmp_path)
        settings.MESSAGE_STORE_FILES = root
        define()
        for path in ("link.json", "folder/secret.json", "no.json", "folder"):
            assert process(stored(path)).status == 25

    def test_is_not_left_by_a_path_that_a_hub_wrote(self, settings, tmp_path):
        settings.MESSAGE_STORE_FILES = tmp_path
        define()
        identifier = store()
        MessageStore.objects.filter(pk=identifier).update(file_path="../../etc/hostname", data=None)
        assert process(identifier).status == 25
        assert take_one(identifier) is None


def stored(path: str) -> str:
    identifier = store(file_path=path)
    MessageStore.objects.filter(pk=identifier).update(data=None)
    return identifier
