from pathlib import Path

import pytest

from spark_tasks.storage.addresses import Storage
from tests.spark_tasks.storage.test_folders import names_in, write_half


class TestArrowFiles:
    """An address of the local disk, by the interface that Arrow has for every file system."""

    def test_show_a_file_when_it_is_complete(self, tmp_path: Path):
        storage = Storage(tmp_path.as_uri())
        with storage.open_to_write("message/part.parquet") as file:
            file.write(b"rows")
            assert names_in(tmp_path) == ["message/part.parquet.tmp"]
        assert storage.list_sizes() == {"message/part.parquet": 4}
        with storage.open_to_read("message/part.parquet") as file:
            assert file.read() == b"rows"

    def test_leave_no_file_if_the_writing_raised(self, tmp_path: Path):
        with pytest.raises(ZeroDivisionError):
            write_half(Storage(tmp_path.as_uri()).open_to_write("message/part.parquet"))
        assert names_in(tmp_path) == []
