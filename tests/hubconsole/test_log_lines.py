import io
import logging
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

FORGED = "\r\n2026-11-21 10:00:00,000 INFO audit: ada may\x1b[2K\u2028\u202e!"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Give what a logger writes as the settings' formatter lays it out."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(import_string(settings.LOGGING["formatters"]["line"]["()"])())
    logger = logging.getLogger("tests.log_lines")
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


class TestLineFormatter:
    def test_writes_one_line_whatever_is_in_it(self, written):
        logging.getLogger("tests.log_lines").warning("No document %s", FORGED)
        (line,) = written.getvalue().splitlines()
        assert line.endswith(r"\r\n2026-11-21 10:00:00,000 INFO audit: ada may\x1b[2K\u2028\u202e!")

    def test_marks_every_further_line_of_an_exception(self, written):
        try:
            raise ValueError(FORGED)
        except ValueError:
            logging.getLogger("tests.log_lines").exception("It broke")
        first, *further = written.getvalue().splitlines()
        assert first.endswith("ERROR tests.log_lines: It broke")
        assert further[0] == "  | Traceback (most recent call last):"
        assert {line[:4] for line in further} == {"  | "}

    def test_leaves_other_letters_alone(self, written):
        logging.getLogger("tests.log_lines").warning("Größe – \U0001f600")
        assert written.getvalue().endswith("Größe – \U0001f600\n")
