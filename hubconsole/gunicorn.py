"""
How gunicorn's own lines look in the log: as all others (`--config python:hubconsole.gunicorn`).

Its other options stand where it is started. It reads this before there are settings.
"""

from gunicorn.config import Config
from gunicorn.glogging import Logger

from hubconsole import log_lines


class logger_class(Logger):  # noqa: N801 (gunicorn's name)
    """Gunicorn's, but for the layout; by a dictionary, it would begin to log every request."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for handler in (*self.error_log.handlers, *self.access_log.handlers):
            handler.setFormatter(log_lines.formatter_class()())
