"""The lines of one logger as a growing list, without those of others."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class Lines(logging.Handler):
    """Keeps each line of its logger."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


@contextmanager
def lines_of(logger: logging.Logger) -> Iterator[list[str]]:
    """Yield the list of the lines that go to `logger` within the block."""
    handler = Lines()
    logger.addHandler(handler)
    try:
        yield handler.told
    finally:
        logger.removeHandler(handler)
