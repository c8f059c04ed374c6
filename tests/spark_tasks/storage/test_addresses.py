from pathlib import Path

import pytest

from spark_tasks.storage.addresses import Storage


class TestStorage:
    def test_writes_reads_and_removes_inside_its_folder(self, tmp_path: Path):
        storage = Storage(str(tmp_path / "archive"))
        with storage.open_to_write("message/2026/part.parquet") as file:
            file.write(b"rows")
        with storage.open_to_read("message/2026/part.parquet") as file:
            assert file.read() == b"rows"
        assert storage.list_paths() == ["message/2026/part.parquet"]
        storage.remove("message/2026/part.parquet")
        assert storage.list_paths() == []

    @pytest.mark.parametrize("path", ["../outside", "x/../../outside", "/etc/passwd", "", "a\0b", ".."])
    def test_accesses_nothing_outside_it(self, tmp_path: Path, path: str):
        (tmp_path / "outside").write_bytes(b"kept")
        (tmp_path / "archive" / "message").mkdir(parents=True)
        storage = Storage(str(tmp_path / "archive"))
        with pytest.raises(PermissionError), storage.open_to_read(path):
            pass
        with pytest.raises(PermissionError), storage.open_to_write(path):
            pass
        with pytest.raises(PermissionError):
            storage.remove(path)
        assert (tmp_path / "outside").read_bytes() == b"kept"
