from pathlib import Path

import pytest
from pyarrow import fs

from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.folders import write_elsewhere


def write_half(writing) -> None:
    with writing as file:
        file.write(b"half")
        raise ZeroDivisionError


def names_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class TestFolderFiles:
    def test_leave_no_file_if_the_writing_raised(self, tmp_path: Path):
        with pytest.raises(ZeroDivisionError):
            write_half(Storage(str(tmp_path)).open_to_write("message/part.parquet"))
        assert names_in(tmp_path) == []


class TestWriteElsewhere:
    """With Arrow's interface to the local disk, which is that of other file systems too."""

    def test_shows_a_file_when_it_is_complete(self, tmp_path: Path):
        with write_elsewhere(fs.LocalFileSystem(), f"{tmp_path}/message/part.parquet") as file:
            file.write(b"rows")
            assert names_in(tmp_path) == ["message/part.parquet.tmp"]
        assert names_in(tmp_path) == ["message/part.parquet"]
        assert (tmp_path / "message/part.parquet").read_bytes() == b"rows"

    def test_leaves_no_file_if_the_writing_raised(self, tmp_path: Path):
        with pytest.raises(ZeroDivisionError):
            write_half(write_elsewhere(fs.LocalFileSystem(), f"{tmp_path}/message/part.parquet"))
        assert names_in(tmp_path) == []
