"""The first page: current problems, with their age and links to details; and the setup checklist."""

from typing import cast

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import PageViews, requires_permission
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.parameters import read_choice
from messages_app.core.undo import Undo, offer_undo
from messages_app.dashboard.flow_chart import FlowContent, draw_flow
from messages_app.dashboard.guide import Groups, Guide, guide_for
from messages_app.dashboard.models import note_visit, put_guide_away
from messages_app.dashboard.setup import Setup, keep_setup_away, setup_for
from messages_app.dashboard.snapshot import DEFAULT_WINDOW, WINDOWS
from messages_app.dashboard.tiles import Tile, page_tiles, read_tiles, store_tiles
from messages_app.messages.attachment import is_attached
from messages_app.messages.failures.models import PRESSING_STATES
from messages_app.messages.first_steps import FirstSteps, first_steps, first_steps_or_none
from messages_app.messages.metrics.counts import read_freshness
from messages_app.messages.metrics.failing import failing_now
from messages_app.messages.metrics.polling import polling_state
from messages_app.notes.selectors import count_new_mentions

_FOLDER = "messages_app/dashboard"
# How a page without messages looks.
_EMPTY, _LOADING = "empty", "loading"
_LOOKS = (_EMPTY, _LOADING)


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("window")
def show_dashboard(request: HttpRequest) -> HttpResponse:
    return render(request, f"{_FOLDER}/dashboard.html", _make_context(request))


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("window", "shown")
def dashboard_part(request: HttpRequest) -> HttpResponse:
    """
    Render only what is below the head, for an open page.

    A page that is `shown` as empty stays as it is while it is empty. One without messages is loaded again,
    with its head, once there are messages.
    """
    if page := read_choice(request.GET, "shown", _LOOKS):
        steps = _first_steps()
        if steps.has_messages:
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        if page == _EMPTY and _is_empty(steps):
            return HttpResponse(status=204)
    return render(request, f"{_FOLDER}/_overview.html", _make_context(request) | {"is_part": True})


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def put_away(request: HttpRequest) -> HttpResponse:
    """Hide the guide for new users."""
    put_guide_away(user_of(request))
    return redirect("home")


def _read_window(request: HttpRequest) -> str:
    return read_choice(request.GET, "window", WINDOWS) or DEFAULT_WINDOW


def _read_tiles(request: HttpRequest) -> dict[str, Tile]:
    """Return the tiles that the user may see, by name, and record the visit."""
    user = user_of(request)
    note_visit(user)
    return {tile.name: tile for tile in read_tiles(_read_window(request), user=user, names=page_tiles())}


def _make_context(request: HttpRequest) -> dict[str, object]:
    by_name = _read_tiles(request)
    window, flow, groups = _read_window(request), by_name["flow"].content, by_name["groups"].content
    at, _ = read_freshness()
    steps = _first_steps()
    guide = _find_guide(request, cast(Groups, groups)) if groups else None
    return {
        "tiles": by_name,
        "store_tiles": [
            (by_name[tile.name], tile.template) for tile in store_tiles() if tile.name in by_name
        ],
        "flow": flow and draw_flow(cast(FlowContent, flow)),
        "window": window,
        "window_words": WINDOWS[window].words,
        "windows": [(name, one.words) for name, one in WINDOWS.items()],
        "counted_at": at,
        "first_steps": steps,
        "shown": "" if steps.has_messages else _EMPTY if _is_empty(steps) else _LOADING,
        "polling": polling_state(),
        "pressing_states": [str(state) for state in PRESSING_STATES],
        "guide": guide,
        "setup": None if guide else _find_setup(request, steps),
        "may_restart": request.user.has_perm(roles.CAN_RESTART),
        "mentions": count_new_mentions(user_of(request)),
        "may_take": request.user.has_perm(roles.CAN_HANDLE_INCIDENTS),
    }


def _first_steps() -> FirstSteps:
    """Return what there is to show; all of it if the tables of the hub cannot be read."""
    return first_steps_or_none() or FirstSteps(
        has_messages=True, is_attached=is_attached(), loading=None, builds_counts=False, is_late=False
    )


def _is_empty(steps: FirstSteps) -> bool:
    return not steps.has_messages and steps.loading is None


def _find_setup(request: HttpRequest, steps: FirstSteps) -> Setup | None:
    """Return the checklist if there is a step to do, and the user has not dismissed it."""
    try:
        setup = setup_for(user_of(request), steps)
    except DatabaseError:
        return None
    return setup if setup and setup.next_step and not setup.is_away else None


def _find_guide(request: HttpRequest, groups: Groups) -> Guide | None:
    try:
        return guide_for(user_of(request), groups["groups"], failing_now())
    except DatabaseError:
        return None


VIEWS = PageViews(roles.CAN_VIEW_SETTINGS)


@VIEWS.shows_page
def show_setup(request: HttpRequest) -> HttpResponse:
    setup = setup_for(user_of(request), first_steps())
    if setup is None:
        raise PermissionDenied
    return render(request, "messages_app/dashboard/setup.html", {"setup": setup})


@VIEWS.takes_form
def put_setup_away(request: HttpRequest) -> HttpResponse:
    """Hide the checklist on the overview."""
    keep_setup_away(user_of(request), is_away=True)
    undo = Undo(address=reverse("setup-back"), fields={})
    offer_undo(request, "The checklist is in the menu of your name.", undo)
    return redirect("home")


@VIEWS.takes_form
def bring_setup_back(request: HttpRequest) -> HttpResponse:
    """Show the checklist on the overview again."""
    keep_setup_away(user_of(request), is_away=False)
    return redirect("home")
