"""The drawings of the manual are current, shown, described, and have the console's states and colours."""

import re
from pathlib import Path

import pytest

from messages_app.cp_queue.states import State
from messages_app.document_history.states import InDoubtState, Verdict
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import RULE_SETS, MessageState
from messages_app.shared.store_states import Status
from tests.drawings.layout import WrongSource, arrange_drawing
from tests.drawings.painting import paint_drawing
from tests.drawings.sources import FOLDER, ROOT

SOURCES = sorted(FOLDER.glob("*.dot"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
# The text of a chapter at 1440 pixels, within the frame of a drawing.
MAX_WIDTH = 828
MIN_WORDS = 8
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_STYLE = re.compile(r"<style>.*</style>", re.DOTALL)
_IMAGE = re.compile(r"^!\[([^\]]*)\]\(([^)]*drawings/[^)]+)\)", re.MULTILINE)


def is_same(one: str, other: str) -> bool:
    """Return whether two drawings differ at most by the rounding of another processor."""
    if _NUMBER.sub("", one) != _NUMBER.sub("", other) or _STYLE.search(one)[0] != _STYLE.search(other)[0]:
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= 1 for a, b in pairs)


def images() -> dict[str, list[str]]:
    """Return the alternative texts of each drawing, by the name of its file."""
    texts: dict[str, list[str]] = {}
    for page in PAGES:
        for alternative, target in _IMAGE.findall(page.read_text(encoding="utf-8")):
            assert (page.parent / target).resolve().parent == FOLDER
            texts.setdefault(Path(target).name, []).append(alternative)
    return texts


def names_in(drawing: str) -> set[str]:
    """Return the first word of each box of a drawing."""
    return {box.lines[0].split()[0] for box in arrange_drawing(FOLDER / f"{drawing}.dot").boxes}


class TestDrawings:
    @pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
    def test_are_those_of_their_sources(self, source):
        drawn = source.with_suffix(".svg").read_text(encoding="utf-8")
        assert is_same(drawn, paint_drawing(arrange_drawing(source))), "run make drawings"

    def test_are_stale_after_a_change(self, tmp_path):
        text = (FOLDER / "job.dot").read_text(encoding="utf-8")
        changed = tmp_path / "job.dot"
        changed.write_text(text.replace('label="resume"', 'label="continue"'), encoding="utf-8")
        drawn = (FOLDER / "job.svg").read_text(encoding="utf-8")
        assert not is_same(drawn, paint_drawing(arrange_drawing(changed)))

    def test_have_no_other_files(self):
        names = {path.name for path in FOLDER.iterdir()}
        assert names == {f"{source.stem}{kind}" for source in SOURCES for kind in (".dot", ".svg")}

    def test_are_all_shown(self):
        assert len(SOURCES) >= 9
        assert set(images()) == {f"{source.stem}.svg" for source in SOURCES}

    def test_have_a_text_for_readers_without_pictures(self):
        short = [name for name, texts in images().items() for one in texts if len(one.split()) < MIN_WORDS]
        assert short == []

    @pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
    def test_fit_a_page_and_describe_each_arrow(self, source):
        text = source.with_suffix(".svg").read_text(encoding="utf-8")
        assert int(re.search(r' width="(\d+)"', text)[1]) <= MAX_WIDTH
        description = re.search(r"<desc [^>]*>(.+?)</desc>", text)[1]
        assert description.count("From ") == len(arrange_drawing(source).arrows)

    @pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
    def test_have_no_scripts_no_addresses_and_no_attributes_of_style(self, source):
        text = source.with_suffix(".svg").read_text(encoding="utf-8")
        text = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert re.findall(r"<script|\son\w+=|\sstyle=|https?:|href|url\(|@import", text) == []


class TestStatesOfDrawings:
    """A life has every state of the code, and no other."""

    def test_are_those_of_messages(self):
        assert names_in("message") - {"Source", "Archive"} == set(MessageState)

    def test_of_messages_lead_where_the_rules_allow(self):
        arrows = arrange_drawing(FOLDER / "message.dot").arrows
        rules = RULE_SETS["cleverbus"]
        restarts = {arrow.start for arrow in arrows if arrow.lines == ("restart",)}
        cancels = {(arrow.start, arrow.end) for arrow in arrows if arrow.lines == ("cancel",)}
        assert restarts == set(rules.restart_from)
        # CleverBus has no messages in NEW.
        assert cancels == {(state, rules.cancel_to) for state in rules.cancel_from - {MessageState.NEW}}

    def test_are_those_of_jobs(self):
        assert names_in("job") - {"A"} == set(JobState)

    def test_are_those_of_documents(self):
        names = names_in("document")
        assert set(Verdict) | set(InDoubtState) | {"processing", "both"} == {
            name for name in names if name not in {"A", "Check", "expires"}
        }

    def test_are_those_of_messages_of_the_store(self):
        codes = {int(name) for name in names_in("store_message") if name.isdigit()}
        assert codes | set(range(20, 26)) == set(Status)

    def test_are_those_of_messages_of_the_cp_queue(self):
        assert set(State) | {"done", "failed"} == names_in("cp_message") - {"A", "removed:"}


class TestWrongSources:
    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ('digraph { label="Life" a [class=box] }', "a has the class 'box'"),
            ("digraph { a [class=step] }", "no label with the title"),
            ('digraph { label="Life" node [class=step] a -> b [class=red] }', "has the class 'red'"),
        ],
    )
    def test_are_refused_with_the_fault(self, tmp_path, text, fault):
        source = tmp_path / "wrong.dot"
        source.write_text(text, encoding="utf-8")
        with pytest.raises(WrongSource, match=re.escape(fault)):
            arrange_drawing(source)
