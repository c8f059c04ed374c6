import hashlib

import pytest

from spark_tasks.exports.files import is_as_named, write_whole


class TestWriteWhole:
    def test_names_a_file_by_its_content(self, tmp_path):
        name, sha256 = write_whole(tmp_path, "1-2-{hash}.csv", lambda file: file.write(b"a"))
        assert sha256 == hashlib.sha256(b"a").hexdigest()
        assert name == f"1-2-{sha256[:32]}.csv"
        assert is_as_named(tmp_path / name)
        (tmp_path / name).write_bytes(b"b")
        assert not is_as_named(tmp_path / name)

    def test_leaves_nothing_when_writing_fails(self, tmp_path):
        def fail(file):
            file.write(b"half")
            raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="No space left"):
            write_whole(tmp_path, "whole.csv", fail)
        assert list(tmp_path.iterdir()) == []
