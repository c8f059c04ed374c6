"""`make drawings`: writes the SVG file of each .dot file in docs/drawings. A test finds a stale one."""

from tests.drawings.layout import arrange_drawing
from tests.drawings.painting import paint_drawing
from tests.drawings.sources import FOLDER


def main() -> None:
    for source in sorted(FOLDER.glob("*.dot")):
        target = source.with_suffix(".svg")
        target.write_text(paint_drawing(arrange_drawing(source)), encoding="utf-8")


if __name__ == "__main__":
    main()
