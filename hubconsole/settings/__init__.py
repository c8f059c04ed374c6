"""
Settings by topic: deploy values from the environment, all in docs/reference/settings.md, the rest fixed.

`deployment` is imported first: it sets the file mask before any file is written. The others use its paths.
"""

from hubconsole.settings.deployment import *  # noqa: F403
from hubconsole.settings.jobs import *  # noqa: F403
from hubconsole.settings.stores import *  # noqa: F403
from hubconsole.settings.web import *  # noqa: F403
