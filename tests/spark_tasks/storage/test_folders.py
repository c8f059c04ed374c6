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
