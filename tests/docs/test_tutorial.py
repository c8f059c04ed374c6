"""
The tutorial has only instructions that its test can follow, and takes a reader twenty minutes.

tests/tutorial/test_as_written.py follows it in a browser.
"""

import re

import pytest

from tests.tutorial.reader import Reader
from tests.tutorial.script import FILE, INSTRUCTIONS, CannotFollow, Line, read_script

MAX_MINUTES = 20
# A slow reader of technical text, who looks for each button.
WORDS_A_MINUTE, SECONDS_OF_DEED = 180, 8
# Measured by the test that follows it, with a reader's margin: until a job, or the demo, is ready.
SECONDS_OF_WAITING = 45


def script_of(*lines: str) -> list[Line]:
    """Return the script of one step. Its first line has the number 5."""
    return read_script("\n".join(["# Tutorial", "", "## 1. Begin", "", *lines]))


class TestTutorial:
    def test_has_only_instructions_that_can_be_followed(self):
        text = FILE.read_text()
        lines = read_script(text)
        steps = re.findall(r"^## ([0-9].*)", text, re.MULTILINE)
        assert list(dict.fromkeys(line.step for line in lines)) == steps
        assert len(lines) > 80

    def test_takes_twenty_minutes(self):
        text = FILE.read_text().split("\n## Where to go next")[0]
        deeds = [line.deed for line in read_script(text)]
        seconds = (
            60 * len(text.split()) / WORDS_A_MINUTE
            + SECONDS_OF_DEED * sum(deed in INSTRUCTIONS for deed in deeds)
            + SECONDS_OF_WAITING * deeds.count("wait")
        )
        assert MAX_MINUTES - 5 < seconds / 60 <= MAX_MINUTES


class TestScript:
    def test_has_a_method_of_the_reader_for_each_instruction(self):
        assert [deed for deed in INSTRUCTIONS if not callable(getattr(Reader, deed, None))] == []

    def test_has_what_is_done_and_then_seen_by_line(self):
        lines = script_of(
            "1. Enter `20` in *Test batch",
            "   size*. Press *Restart … messages*.",
            "",
            "   > All messages were",
            "   > restarted.",
        )
        assert [(line.number, line.deed, dict(line.arguments)) for line in lines] == [
            (5, "fill", {"text": "20", "name": "Test batch size"}),
            (6, "press", {"name": "Restart … messages"}),
            (8, "see", {"words": "All messages were restarted."}),
        ]

    @pytest.mark.parametrize(
        ("lines", "number"),
        [
            (["1. Click the button.", "", "   > Done"], 5),
            (["1. Press *Save*. Shake the *mouse*.", "", "   > Done"], 5),
            (["1. Press *Save*.", "   Then scroll down.", "", "   > Done"], 6),
            (["1. Press *Save*.", "", "   Press the other one.", "", "   > Done"], 7),
            (["1. Press *Save* and *Close*.", "", "   > Done"], 5),
            (["1. Enter `1` in the field.", "", "   > Done"], 5),
            (["1. Press *Save*", "", "   > Done"], 5),
            (["Press *Save*.", "", "> Done"], 5),
            (["A page.", "Now press the button."], 6),
            (["The button is *Save*."], 5),
            (["A reader can press it."], 5),
            (["- Press *Save*."], 5),
            (["1. Press *Save*."], 5),
            (["1. Press *Save*.", "", "2. Press *Close*.", "", "   > Done"], 5),
            (["1. Press *Save*.", "", "   > *Done*"], 7),
            (["> Done"], 5),
            (["1. Press *Save*.", "", "   ```bash", "   ls", "   ```", "", "   > Done"], 7),
            (["1. Press *Save*.", "", "   ```text", "   done", "   ```"], 7),
            (["1. Run this in the second terminal:", "", "   ```sh", "   ls", "   ```"], 7),
            (["1. Run this in the second terminal:", "", "   ```bash", "   ls", "   ```"], 7),
        ],
    )
    def test_refuses_an_instruction_that_it_cannot_follow_and_names_its_line(self, lines, number):
        with pytest.raises(CannotFollow, match=rf"^docs/tutorial.md, line {number}: “"):
            script_of(*lines)

    def test_refuses_instructions_outside_of_a_numbered_section(self):
        with pytest.raises(CannotFollow, match=r"line 5: .* is an instruction outside"):
            read_script("# Tutorial\n\n## More\n\n1. Press *Save*.\n\n   > Done\n")
