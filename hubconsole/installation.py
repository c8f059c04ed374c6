"""
The places of the console's files and data, and how its commands are written: in a clone, and in an installed
package.
"""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
IS_CLONE = (_PACKAGE.parent / "manage.py").is_file()
# The folder of templates, static and docs. Nothing is ever written there.
RESOURCES = _PACKAGE.parent if IS_CLONE else _PACKAGE / "data"
# The words before the name of a command, and the command that starts everything.
COMMAND_LINE = "python manage.py" if IS_CLONE else "hubconsole"
START_COMMAND = "make up" if IS_CLONE else "hubconsole up"


def find_default_home() -> Path:
    """
    Return the folder of the data without HUBCONSOLE_HOME: var/ of a clone, or the user's data folder.

    Source: docs/howto/install.md, "Try it". A relative XDG_DATA_HOME is ignored, as its specification asks.

    Raises:
        RuntimeError: the user has no home folder.
    """
    if IS_CLONE:
        return RESOURCES / "var"
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".local/share") / "hubconsole"
