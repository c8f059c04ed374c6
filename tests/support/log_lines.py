"""What a logger is told, as a list that grows: apart from what others write meanwhile."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class Lines(logging.Handler):
    """Keeps each line that its logger is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())


@contextmanager
def lines_of(logger: logging.Logger) -> Iterator[list[str]]:
    """Give the lines that `logger` is told within the block."""
    handler = Lines()
    logger.addHandler(handler)
    try:
        yield handler.told
    finally:
        logger.removeHandler(handler)
