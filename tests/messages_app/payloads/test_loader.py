import pytest
from rest_framework.renderers import JSONRenderer

from messages_app.messages.models import Message
from messages_app.payloads.api import TextChanged, content_answer
from messages_app.payloads.loader import (
    PIECE_BYTES,
    ContentNotFound,
    StoredText,
    TextInMemory,
    content_in_memory,
    read_beginning,
    read_pieces,
    visible_content,
)
from messages_app.shared.xml_parsing import CHECKED_BYTES
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


def stored(text: str) -> StoredText:
    message = make_message(payload=text)
    return StoredText(Message.objects.filter(pk=message.pk), "payload", len(text.encode()))


class TestTextInMemory:
    def test_returns_any_part(self):
        source = TextInMemory("žx".encode())
        assert (source.size, source.read(2, 9), source.read(3, 1)) == (3, b"x", b"")


class TestStoredText:
    @pytest.mark.parametrize(
        ("offset", "length"), [(0, 5), (1, 3), (2_000_000, 7), (2_999_999, 50), (9**9, 1)]
    )
    def test_returns_any_part_by_its_bytes(self, offset, length):
        text = "ž\n\\x" * 600_000
        assert stored(text).read(offset, length) == text.encode()[offset : offset + length]

    def test_returns_nothing_if_the_row_no_longer_exists(self):
        source = stored("x")
        Message.objects.all().delete()
        assert source.read(0, 1) == b""


class TestReadBeginning:
    def test_returns_a_small_text_completely(self):
        message = make_message(payload="ž")
        beginning = read_beginning(Message.objects.filter(pk=message.pk), "payload")
        assert (beginning.text, beginning.stored_bytes) == ("ž", 2)

    def test_returns_the_first_characters_of_a_large_one(self):
        text = "<a>" + "x" * CHECKED_BYTES
        message = make_message(payload=text)
        beginning = read_beginning(Message.objects.filter(pk=message.pk), "payload")
        assert text.startswith(beginning.text)
        assert 3 < len(beginning.text) < 10_000
        assert beginning.stored_bytes == len(text)

    def test_distinguishes_null_from_no_row(self):
        message = make_message(envelope=None)
        assert read_beginning(Message.objects.filter(pk=message.pk), "envelope").text is None
        with pytest.raises(ContentNotFound):
            read_beginning(Message.objects.filter(pk=0), "payload")


class TestPieces:
    def test_are_the_text(self):
        body = b"0123456789" * (PIECE_BYTES // 4)
        parts = list(read_pieces(TextInMemory(body)))
        assert (b"".join(parts), len(parts)) == (body, 3)


class TestHeld:
    def test_has_its_whole_text_as_its_beginning(self):
        beginning, source = content_in_memory("<a>ü</a>")
        assert (beginning.text, beginning.stored_bytes, source.size) == ("<a>ü</a>", 9, 9)

    def test_has_only_a_beginning_if_it_is_large(self):
        beginning, source = content_in_memory("x" * (CHECKED_BYTES + 1))
        assert len(beginning.text) < 10_000
        assert beginning.stored_bytes == source.size == CHECKED_BYTES + 1

    def test_distinguishes_null_from_an_empty_text(self):
        assert content_in_memory(None)[0].stored_bytes is None
        assert content_in_memory("")[0].stored_bytes == 0


class TestOpened:
    def test_shows_no_value_to_a_masked_reader(self):
        found = visible_content(*content_in_memory("<a>secret</a>"), masked=True)
        assert found.view.masked
        assert b"secret" not in found.source.read(0, 100)

    def test_shows_no_value_after_a_blank_beginning_to_a_masked_reader(self):
        text = " " * 1500 + "<a>secret</a>" + "\n" * CHECKED_BYTES
        found = visible_content(*content_in_memory(text), masked=True)
        assert b"secret" not in found.source.read(0, 2000)

    def test_reads_a_large_text_in_place(self):
        beginning, source = content_in_memory("x" * (CHECKED_BYTES + 1))
        assert visible_content(beginning, source, masked=False).source is source


# Each character has several bytes in UTF-8 or in JSON, and pieces end within one.
ODD = 'é"\\\u2028\x01\n\U0001f600'


class TestContentAnswer:
    @pytest.mark.parametrize("repeated", [1, PIECE_BYTES // 12])
    def test_is_the_json_of_a_text_of_any_size(self, repeated):
        text = ODD * repeated
        size = len(text.encode())
        answer = content_answer(visible_content(*content_in_memory(text), masked=False), before={"id": 7})
        expected = {"id": 7, "content": text, "content_type": "text/plain", "bytes": size, "masked": False}
        if repeated == 1:
            assert answer.data == expected
        else:
            parts = list(answer.streaming_content)
            assert (len(parts), answer["Content-Type"]) == (4, "application/json")
            assert b"".join(parts) == JSONRenderer().render(expected)

    def test_is_broken_off_if_the_text_is_deleted_meanwhile(self):
        text = "x" * (PIECE_BYTES + 1)
        source = stored(text)
        beginning = read_beginning(source.rows, "payload")
        parts = iter(content_answer(visible_content(beginning, source, masked=False)).streaming_content)
        assert len(next(parts) + next(parts)) > PIECE_BYTES
        Message.objects.all().delete()
        with pytest.raises(TextChanged, match="4194304 of 4194305 bytes"):
            list(parts)
