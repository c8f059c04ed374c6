"""The generated pages, by the names of their files."""

from collections.abc import Callable, Mapping

from tests.support.locks import ROOT
from tests.support.reference.calls import write_calls
from tests.support.reference.commands import write_commands
from tests.support.reference.errors import write_errors
from tests.support.reference.events import write_events
from tests.support.reference.explain import write_explain
from tests.support.reference.job_kinds import write_job_kinds
from tests.support.reference.metrics import write_metrics
from tests.support.reference.roles import write_roles
from tests.support.reference.scopes import write_scopes
from tests.support.reference.settings import write_settings
from tests.support.reference.states import write_states

FOLDER = ROOT / "docs" / "reference"
WRITERS: Mapping[str, Callable[[], str]] = {
    "calls.md": write_calls,
    "commands.md": write_commands,
    "errors.md": write_errors,
    "events.md": write_events,
    "explain.md": write_explain,
    "job_kinds.md": write_job_kinds,
    "metrics.md": write_metrics,
    "roles.md": write_roles,
    "scopes.md": write_scopes,
    "settings.md": write_settings,
    "states.md": write_states,
}
