"""
The state of a console in its first minutes: it has no messages, the demo is being loaded, or counts are
being built. Pages show it instead of zeros, and an open page that waits for its content shows the progress.

Source: docs/reference/overview.md, "The first minutes".
"""

import re
from dataclasses import dataclass
from time import monotonic

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from messages_app.access.decorators import requires_login
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_choice
from messages_app.core.statements import Statements
from messages_app.messages.attachment import is_attached
from messages_app.messages.metrics.counts import read_freshness

statements = Statements("messages_app.messages")

# The beginning of the name of the session that loads the demo. Others see the name although its transaction
# is open, and it ends with the transaction, so nothing remains of a load that was interrupted.
_LOADING = "hubconsole demo "
_PROGRESS = re.compile(r"hubconsole demo (\d+) of (\d+)")
# With more changes than this, the counts lag behind by more than a pass.
_MAX_CHANGES = 5_000
# After its start a console needs this long at most until its worker adds up counts.
_FIRST_SECONDS = 300
_LATE_SECONDS = 60
_STARTED = monotonic()
_LOADED, _COUNTED = "loaded", "counted"


@dataclass(frozen=True, kw_only=True)
class Loading:
    """The demo that is being loaded: the number of its messages so far, and in total."""

    done: int
    total: int

    @property
    def percent(self) -> int:
        return min(100 * self.done // max(self.total, 1), 100)


@dataclass(frozen=True, kw_only=True)
class FirstSteps:
    """
    Args:
        has_messages: whether there is a message, live or archived.
        is_attached: whether the console is attached to a hub.
        loading: the demo that is being loaded, or None.
        builds_counts: counts are being built: the worker has just started, or has many changes to add.
        is_late: counts are not kept up to date, although the worker has had the time for it.
    """

    has_messages: bool
    is_attached: bool
    loading: Loading | None
    builds_counts: bool
    is_late: bool

    @property
    def is_filling(self) -> bool:
        """Whether what is not there yet may still come: an empty list or a zero would be wrong."""
        return self.loading is not None or (self.has_messages and self.builds_counts)


def first_steps_or_none() -> FirstSteps | None:
    """Return what the console has to show so far; None if the tables of the hub cannot be read."""
    try:
        return first_steps()
    except DatabaseError:
        return None


def first_steps() -> FirstSteps:
    """Return what the console has to show so far."""
    has_messages, name, is_behind = statements.only_row(
        "first_steps", {"loading": _LOADING, "most": _MAX_CHANGES}
    )
    counted_at, seconds = read_freshness()
    is_old = counted_at is None or (seconds is not None and seconds > _LATE_SECONDS)
    is_first_time = monotonic() - _STARTED < _FIRST_SECONDS
    return FirstSteps(
        has_messages=has_messages,
        is_attached=is_attached(),
        loading=_progress_of(name or ""),
        builds_counts=is_behind or (is_old and is_first_time),
        is_late=is_old and not is_first_time,
    )


def show_loading(done: int, *, total: int) -> None:
    """Let other sessions see the progress of this transaction, which loads the demo."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('application_name', %s, true)", [f"{_LOADING}{done} of {total}"])


def _progress_of(name: str) -> Loading | None:
    progress = _PROGRESS.fullmatch(name)
    return Loading(done=int(progress[1]), total=int(progress[2])) if progress else None


@require_safe
@requires_login
@takes_parameters("until")
def progress_part(request: HttpRequest) -> HttpResponse:
    """Render the progress of the demo or of the counts; at its end, let the page load again."""
    waits_for_counts = read_choice(request.GET, "until", [_LOADED, _COUNTED]) == _COUNTED
    steps = first_steps_or_none()
    if steps is None or not (steps.is_filling if waits_for_counts else steps.loading):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return render(request, "messages_app/messages/_progress.html", {"first_steps": steps})
