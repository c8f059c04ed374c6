from pathlib import Path

from messages_app.message_store.services.loader import move_file


class TestMove:
    def test_never_writes_through_a_link_that_leads_nowhere(self, tmp_path: Path):
        done, outside = tmp_path / "done", tmp_path / "outside"
        done.mkdir()
        (done / "a.json").symlink_to(outside)
        file = tmp_path / "a.json"
        file.write_text("[]")

        move_file(file, done)

        assert not outside.exists()
        assert (done / "a.json").is_symlink()
        assert (done / "a.1.json").read_text() == "[]"

    def test_avoids_an_existing_file_with_the_same_name(self, tmp_path: Path):
        (tmp_path / "done").mkdir()
        (tmp_path / "done" / "a.json").write_text("old")
        (tmp_path / "a.json").write_text("new")

        move_file(tmp_path / "a.json", tmp_path / "done")

        assert (tmp_path / "done" / "a.json").read_text() == "old"
        assert (tmp_path / "done" / "a.1.json").read_text() == "new"
