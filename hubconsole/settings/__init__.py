"""
The settings by topic. Values of a deployment come from the environment (docs/reference/settings.md).

`deployment` is imported first, because it sets the file mask before any file is written. The others use its
paths.
"""

from hubconsole import loading
from hubconsole.settings.deployment import *  # noqa: F403
from hubconsole.settings.jobs import *  # noqa: F403
from hubconsole.settings.providers import *  # noqa: F403
from hubconsole.settings.stores import *  # noqa: F403
from hubconsole.settings.web import *  # noqa: F403

loading.begin_loading()  # Models and pages follow.
