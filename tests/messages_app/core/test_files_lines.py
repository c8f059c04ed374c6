from messages_app.core.files import MAX_LINE_BYTES, numbered_lines


class TestNumberedLines:
    def test_numbers_every_line_and_omits_blank_ones(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_bytes(b"{}\n\n  \r\n[]")
        assert list(numbered_lines(path)) == [(1, b"{}\n"), (4, b"[]")]

    def test_skips_a_line_that_is_too_long(self, tmp_path):
        path = tmp_path / "a.jsonl"
        with path.open("wb") as file:
            file.write(b"a" * (MAX_LINE_BYTES + 1) + b"\n{}\n")
        assert list(numbered_lines(path)) == [(1, None), (2, b"{}\n")]
