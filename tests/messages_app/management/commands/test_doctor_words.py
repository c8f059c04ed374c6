import pytest

from messages_app.management.commands.doctor import _describe_part


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"ok": True}, "ok"),
        ({"ok": True, "note": "two workers"}, "ok, two workers"),
        ({"ok": False, "why": "it is down", "do": "Start it."}, "FAILED: it is down. Start it."),
    ],
)
def test_describes_a_part_in_one_line(part, words):
    assert _describe_part(part) == words
