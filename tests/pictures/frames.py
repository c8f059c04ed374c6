"""Pictures of a page in both themes, and an animation of them, in the format WebP."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Locator, Page

THEMES = ("light", "dark")
# Of lossy WebP, up to 100: below, small text has visible edges.
_QUALITY = 82
# The pointer of an animation: its corners in pixels from its tip.
_POINTER = ((0, 0), (0, 20), (5, 15), (9, 23), (13, 21), (9, 14), (15, 14))


def file_of(folder: Path, name: str, theme: str) -> Path:
    """Return the file of a picture: `name.webp`, and `name-dark.webp` for the dark theme."""
    return folder / f"{name}{'' if theme == 'light' else '-dark'}.webp"


def save_picture(page: Page, folder: Path, name: str) -> None:
    """Save what the window shows, in both themes."""
    for theme, image in _shots(page):
        image.save(file_of(folder, name, theme), quality=_QUALITY, method=6)


def _shots(page: Page) -> Iterator[tuple[str, Image.Image]]:
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        yield theme, Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.emulate_media(color_scheme=THEMES[0])


@dataclass
class Animation:
    """The frames of an animation in each theme, each with its milliseconds."""

    frames: dict[str, list[Image.Image]] = field(default_factory=lambda: {theme: [] for theme in THEMES})
    times: list[int] = field(default_factory=list)

    def add(self, page: Page, milliseconds: int, *, at: Locator | None = None) -> None:
        """Add what the window shows, with a pointer on the element `at`."""
        box = at.bounding_box() if at else None
        for theme, image in _shots(page):
            if box:
                _draw_pointer(image, int(box["x"] + box["width"] * 0.6), int(box["y"] + box["height"] * 0.6))
            self.frames[theme].append(image)
        self.times.append(milliseconds)

    def save(self, folder: Path, name: str) -> None:
        for theme, (first, *others) in self.frames.items():
            first.save(
                file_of(folder, name, theme),
                save_all=True,
                append_images=others,
                duration=self.times,
                loop=0,
                quality=_QUALITY,
                method=6,
            )


def _draw_pointer(image: Image.Image, x: int, y: int) -> None:
    corners = [(x + right, y + down) for right, down in _POINTER]
    ImageDraw.Draw(image).polygon(corners, fill="black", outline="white", width=2)
