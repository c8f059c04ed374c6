"""README.md and the tutorial show the pictures that `make pictures` takes, and no others."""

from pathlib import Path

from PIL import Image, ImageSequence

from tests.pictures.scenes import FOLDER, SCENES

ROOT = Path(__file__).resolve().parent.parent.parent
TAKEN = {scene.name for scene in SCENES} | {"job", "repair"}


class TestPictures:
    def test_exist_in_both_themes(self):
        assert {path.name for path in FOLDER.iterdir()} == {
            f"{name}{theme}.webp" for name in TAKEN for theme in ("", "-dark")
        }

    def test_are_all_shown(self):
        text = "".join((ROOT / name).read_text() for name in ("README.md", "docs/tutorial.md"))
        assert [name for name in TAKEN if f"tutorial/{name}.webp" not in text] == []

    def test_repair_an_outage_in_ten_seconds(self):
        for theme in ("", "-dark"):
            with Image.open(FOLDER / f"repair{theme}.webp") as animation:
                times = [_time_of(frame) for frame in ImageSequence.Iterator(animation)]
            assert (sum(times), len(times) > 5) == (10_000, True)


def _time_of(frame: Image.Image) -> int:
    frame.load()  # the time is known afterwards
    return frame.info["duration"]
