import os
from pathlib import Path

import pytest

from spark_tasks.storage.addresses import Storage


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

    def test_are_on_the_disk_before_they_appear_and_their_names_afterwards(self, tmp_path: Path, monkeypatch):
        synchronised: list[tuple[str, list[str]]] = []
        really = os.fsync

        def note_and_synchronise(file: int) -> None:
            really(file)
            path = Path(f"/proc/self/fd/{file}").readlink()
            synchronised.append((str(path.relative_to(tmp_path)), names_in(tmp_path)))

        monkeypatch.setattr(os, "fsync", note_and_synchronise)
        with Storage(str(tmp_path)).open_to_write("message/part.parquet") as file:
            file.write(b"rows")
        half, whole = "message/part.parquet.tmp", "message/part.parquet"
        assert synchronised == [(".", []), (half, [half]), ("message", [whole])]
