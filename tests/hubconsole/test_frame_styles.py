import os
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from hubconsole.frame_styles import FRAME, PARTS, write_frame_styles

FOLDER = Path(settings.BASE_DIR, "static/css/frame")


@pytest.fixture
def root(settings, tmp_path) -> Path:
    settings.STATIC_ROOT = tmp_path / "static"
    return settings.STATIC_ROOT


class TestFrameStyles:
    def test_are_the_colours_and_then_each_part_once(self, root):
        text = write_frame_styles().read_text()
        assert text.startswith("/* Colours, type and spacing")
        assert sorted(PARTS) == sorted(path.stem for path in FOLDER.iterdir())
        places = [text.index((FOLDER / f"{part}.css").read_text()) for part in PARTS]
        assert places == sorted(places)

    def test_are_as_old_as_their_newest_part(self, root):
        newest = max(path.stat().st_mtime for path in [*FOLDER.iterdir(), FOLDER.parent / "tokens.css"])
        assert write_frame_styles().stat().st_mtime == newest

    def test_are_written_again_after_a_change(self, root):
        path = write_frame_styles()
        before = path.read_text()
        os.utime(path, (1, 1))
        assert write_frame_styles().stat().st_mtime == 1
        path.write_text("older")
        assert write_frame_styles().read_text() == before
        assert [each.name for each in path.parent.iterdir()] == ["frame.css"]

    def test_are_found_among_the_static_files(self, root):
        assert finders.find(FRAME) == str(root / FRAME)
        assert finders.find(FRAME, find_all=True) == [str(root / FRAME)]
        assert FRAME in {path for finder in finders.get_finders() for path, _ in finder.list(None)}


class TestPages:
    @pytest.mark.django_db
    def test_ask_for_one_file_of_styles_before_their_own(self):
        page = Client().get("/login/").content.decode()
        assert page.count('<link rel="stylesheet"') == 2
        assert '<link rel="stylesheet" href="/static/css/frame.css">' in page
        answer = Client().get("/static/css/frame.css")
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, 'text/css; charset="utf-8"')
        assert b".c-panel-head" in b"".join(answer.streaming_content)
