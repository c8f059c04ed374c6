import hashlib

import psycopg
import pytest

from spark_tasks.exports.files import is_as_named, write_part, write_whole
from spark_tasks.storage.addresses import Storage


def fail(file) -> None:
    file.write(b"half")
    raise OSError(28, "No space left on device")


class TestWritePart:
    def test_names_a_file_by_its_content(self, tmp_path):
        storage = Storage(str(tmp_path))
        name = write_part(storage, "parts", "1-2-{hash}.csv", lambda file: file.write(b"a"))
        assert name == f"1-2-{hashlib.sha256(b'a').hexdigest()[:32]}.csv"
        assert is_as_named(storage, f"parts/{name}")
        (tmp_path / "parts" / name).write_bytes(b"b")
        assert not is_as_named(storage, f"parts/{name}")

    def test_leaves_nothing_when_writing_fails(self, tmp_path):
        with pytest.raises(OSError, match="No space left"):
            write_part(Storage(str(tmp_path)), "parts", "1-2-{hash}.csv", fail)
        assert list(tmp_path.iterdir()) == []


class TestWriteWhole:
    def test_returns_the_hash_of_the_file(self, tmp_path):
        sha256 = write_whole(Storage(str(tmp_path)), "job-1/whole.csv", lambda file: file.write(b"a"))
        assert sha256 == hashlib.sha256(b"a").hexdigest()
        assert (tmp_path / "job-1/whole.csv").read_bytes() == b"a"

    def test_leaves_no_file_when_writing_fails(self, tmp_path):
        with pytest.raises(psycopg.errors.DiskFull, match="No space left"):
            write_whole(Storage(str(tmp_path)), "job-1/whole.csv", fail)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
