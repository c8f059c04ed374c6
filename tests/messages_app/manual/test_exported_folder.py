"""An export replaces a folder as a whole, and never a file of others."""

import re
import time
from pathlib import Path

import pytest

from messages_app.manual.exported_folder import LIST, NotWritten, replace_folder

FILES = [("index.html", b"first"), ("a/index.html", b"a")]


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


class TestReplaceFolder:
    def test_creates_the_folder_and_those_above(self, tmp_path):
        assert replace_folder(tmp_path / "www/docs/hub", FILES) == 2
        assert names(tmp_path / "www/docs/hub") == ["a/index.html", LIST, "index.html"]
        assert (tmp_path / "www/docs/hub" / LIST).read_text() == "a/index.html\nindex.html\n"

    def test_fills_an_empty_folder(self, tmp_path):
        (tmp_path / "hub").mkdir()
        replace_folder(tmp_path / "hub", FILES)
        assert (tmp_path / "hub/index.html").read_bytes() == b"first"

    def test_replaces_an_earlier_export_with_all_its_files(self, tmp_path):
        replace_folder(tmp_path / "hub", FILES)
        replace_folder(tmp_path / "hub", [("index.html", b"second")])
        assert names(tmp_path) == [f"hub/{LIST}", "hub/index.html"]
        assert (tmp_path / "hub/index.html").read_bytes() == b"second"

    def test_replaces_the_folder_that_a_link_leads_to(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "hub").symlink_to(tmp_path / "real")
        replace_folder(tmp_path / "hub", FILES)
        assert (tmp_path / "hub").is_symlink()
        assert (tmp_path / "real/index.html").read_bytes() == b"first"

    def test_writes_files_that_a_web_server_can_read(self, tmp_path):
        replace_folder(tmp_path / "hub", FILES)
        modes = {path.stat().st_mode & 0o777 for path in [tmp_path / "hub", *(tmp_path / "hub").rglob("*")]}
        assert modes == {0o755, 0o644}


class TestRefuses:
    def check_refused(self, folder: Path, text: str) -> None:
        before = {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()}
        with pytest.raises(NotWritten, match=re.escape(text)) as refusal:
            replace_folder(folder, FILES)
        assert str(folder) in str(refusal.value)
        assert {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()} == before

    def test_a_folder_of_others(self, tmp_path):
        (tmp_path / "www").mkdir()
        (tmp_path / "www/index.html").write_text("ours")
        self.check_refused(tmp_path / "www", "is not empty and not an earlier export")

    def test_an_export_with_a_file_of_others(self, tmp_path):
        replace_folder(tmp_path / "hub", FILES)
        (tmp_path / "hub/a/logo.png").write_bytes(b"logo")
        self.check_refused(
            tmp_path / "hub", "files that are not of an export, which would be lost: a/logo.png."
        )

    def test_a_file(self, tmp_path):
        (tmp_path / "hub").write_text("a file")
        self.check_refused(tmp_path / "hub", "is not a folder")

    def test_an_export_whose_list_cannot_be_read(self, tmp_path):
        replace_folder(tmp_path / "hub", FILES)
        (tmp_path / "hub" / LIST).write_bytes(b"\xff\xfe")
        self.check_refused(tmp_path / "hub", "has files that are not of an export")

    def test_the_folder_of_the_whole_machine_immediately(self):
        began = time.monotonic()
        with pytest.raises(NotWritten, match="not empty and not an earlier export"):
            replace_folder(Path("/"), FILES)
        assert time.monotonic() - began < 1

    def test_links_that_lead_to_each_other(self, tmp_path):
        (tmp_path / "hub").symlink_to(tmp_path / "hub")
        with pytest.raises(NotWritten, match="hub cannot be written"):
            replace_folder(tmp_path / "hub", FILES)

    def test_a_folder_below_a_file(self, tmp_path):
        (tmp_path / "www").write_text("a file")
        with pytest.raises(NotWritten, match=re.escape(f"{tmp_path / 'www/hub'} cannot be written")):
            replace_folder(tmp_path / "www/hub", FILES)


class TestFaults:
    @pytest.mark.parametrize("is_first", [True, False])
    def test_while_files_are_made_leave_the_folder_as_it_was(self, tmp_path, is_first):
        def make_files():
            yield "index.html", b"second"
            raise LookupError

        if not is_first:
            replace_folder(tmp_path / "hub", FILES)
        before = names(tmp_path)
        with pytest.raises(LookupError):
            replace_folder(tmp_path / "hub", make_files())
        assert names(tmp_path) == before

    def test_while_the_folder_is_replaced_bring_it_back(self, tmp_path, monkeypatch):
        replace_folder(tmp_path / "hub", FILES)
        rename, calls = Path.rename, []

        def fail_second(path, target):
            calls.append(target)
            if len(calls) == 2:
                raise PermissionError(13, "Permission denied")
            return rename(path, target)

        monkeypatch.setattr(Path, "rename", fail_second)
        with pytest.raises(NotWritten, match=r"hub cannot be written: .*Permission denied"):
            replace_folder(tmp_path / "hub", [("index.html", b"second")])
        assert names(tmp_path) == ["hub/a/index.html", f"hub/{LIST}", "hub/index.html"]
        assert (tmp_path / "hub/index.html").read_bytes() == b"first"
