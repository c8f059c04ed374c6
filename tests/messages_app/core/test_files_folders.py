from pathlib import Path

import pytest

from messages_app.core.files import files_below


@pytest.fixture
def found():
    """Return the files that `files_below` found, and the folders that it skipped."""

    def find(folder: Path) -> tuple[list[str], list[str]]:
        left_out = []
        files = files_below(
            folder, {".xml"}, on_left_out=lambda path, why: left_out.append(f"{path.name}: {why}")
        )
        return [str(file.relative_to(folder)) for file in files], left_out

    return find


def touch(folder: Path, name: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<a/>")


class TestFilesBelow:
    def test_are_sorted_by_path_with_those_of_folders_in_it(self, tmp_path, found):
        for name in ("b.xml", "a/z.xml", "a/b/c.XML", "a.txt", "c/readme"):
            touch(tmp_path, name)
        assert found(tmp_path) == (["a/b/c.XML", "a/z.xml", "b.xml"], [])

    def test_pass_over_names_that_begin_with_a_dot(self, tmp_path, found):
        for name in (".git/a.xml", ".b.xml", "c.xml"):
            touch(tmp_path, name)
        assert found(tmp_path) == (["c.xml"], [])

    def test_a_folder_that_was_named_may_itself_be_hidden_or_a_link(self, tmp_path, found):
        touch(tmp_path, ".inbox/a.xml")
        (tmp_path / "link").symlink_to(tmp_path / ".inbox")
        assert found(tmp_path / ".inbox") == (["a.xml"], [])
        assert found(tmp_path / "link") == (["a.xml"], [])

    def test_a_loop_of_links_is_not_entered(self, tmp_path, found):
        touch(tmp_path, "in/a.xml")
        (tmp_path / "in" / "loop").symlink_to(tmp_path)
        (tmp_path / "in" / "self").symlink_to("self")
        files, left_out = found(tmp_path)
        assert files == ["in/a.xml"]
        assert left_out == ["loop: a link to a folder is not followed. Specify the folder itself."]

    def test_a_link_to_a_file_is_a_file(self, tmp_path, found):
        touch(tmp_path, "elsewhere/a.txt")
        (tmp_path / "a.xml").symlink_to(tmp_path / "elsewhere" / "a.txt")
        assert found(tmp_path) == (["a.xml"], [])

    def test_are_searched_for_ten_folders_down(self, tmp_path, found):
        levels = [str(number) for number in range(1, 12)]
        touch(tmp_path, "/".join([*levels[:10], "a.xml"]))
        touch(tmp_path, "/".join([*levels, "b.xml"]))
        files, left_out = found(tmp_path)
        assert files == ["1/2/3/4/5/6/7/8/9/10/a.xml"]
        assert left_out == ["11: more than 10 folders deep. Specify the folder itself."]

    def test_a_folder_that_does_not_exist_is_reported(self, tmp_path, found):
        assert found(tmp_path / "gone") == ([], ["gone: cannot be read: No such file or directory."])
