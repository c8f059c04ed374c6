"""What executors say to PostgreSQL, one statement a file."""

from functools import cache
from importlib import resources


@cache
def statement(name: str) -> str:
    """Return the statement kept in `name`.sql, with %(name)s arguments."""
    return resources.files(__name__).joinpath(f"{name}.sql").read_text(encoding="utf-8")
