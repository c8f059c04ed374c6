"""Writes the pages to docs/reference."""

import os


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hubconsole.settings")
    django.setup()
    from tests.support.reference.pages import FOLDER, WRITERS

    for name, write in WRITERS.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()
