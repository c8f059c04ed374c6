from messages_app.payloads.opened import held, opened
from messages_app.payloads.payloads import CHECKED_BYTES


class TestHeld:
    def test_has_its_whole_text_as_the_beginning(self):
        beginning, source = held("<a>ü</a>")
        assert (beginning.text, beginning.stored_bytes, source.size) == ("<a>ü</a>", 9, 9)

    def test_begins_only_where_it_is_large(self):
        beginning, source = held("x" * (CHECKED_BYTES + 1))
        assert len(beginning.text) < 10_000
        assert beginning.stored_bytes == source.size == CHECKED_BYTES + 1

    def test_does_not_distinguish_nothing_from_an_empty_text(self):
        assert held(None)[0].stored_bytes is None
        assert held("")[0].stored_bytes == 0


class TestOpened:
    def test_gives_a_masked_reader_no_value(self):
        found = opened(*held("<a>secret</a>"), masked=True)
        assert found.view.masked
        assert b"secret" not in found.source.read(0, 100)

    def test_reads_a_large_text_where_it_is(self):
        beginning, source = held("x" * (CHECKED_BYTES + 1))
        assert opened(beginning, source, masked=False).source is source
