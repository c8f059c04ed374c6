"""The pages of saved views and of the settings of the table."""

from dataclasses import asdict

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import requires_permission
from messages_app.access.person.services import keep_density
from messages_app.core.problems import Problem, bad_field
from messages_app.core.query_language.parser import line_values, render_line
from messages_app.core.undo import Undo, make_undo, offer_undo, read_undone, report_undone
from messages_app.messages.filters.vocabulary import VOCABULARY
from messages_app.messages.listing import table_settings
from messages_app.messages.listing.saved_views import services, undoing
from messages_app.messages.listing.saved_views.services import ViewNotFound
from messages_app.messages.listing.saved_views.undoing import ViewColumns

_ACTIONS = ("rename", "share", "unshare", "delete")


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
def views_page(request: HttpRequest) -> HttpResponse:
    """Show the user's views; or save one and open its list."""
    if request.method != "POST":
        return _views_page(request)
    try:
        view, before = services.save_view(
            user=user_of(request),
            name=request.POST.get("name", ""),
            query=request.POST.get("query", ""),
            shared="shared" in request.POST,
            actor=actor_of(request),
        )
    except Problem as problem:
        return _views_page(request, problem)
    former = None if before is None else undoing.columns_of(before)
    offer_undo(request, f"View {view.name} saved.", _undo_of(request, view.pk, former))
    return redirect(f"{reverse('message-list')}?{view.query}")


@require_http_methods(["GET", "HEAD", "POST"])
@requires_permission(roles.CAN_VIEW_MESSAGES)
def open_view(request: HttpRequest, view_id: int) -> HttpResponse:
    """Redirect to the list with a view, as it is now; or rename, share, unshare or delete the view."""
    if request.method == "POST":
        return _take_change(request, view_id)
    view = services.view_of(user_of(request), view_id)
    if view is None:
        raise Http404(f"You have no view {view_id}.")
    return redirect(f"{reverse('message-list')}?{view.query}")


def _take_change(request: HttpRequest, view_id: int) -> HttpResponse:
    former = undoing.read_columns(view_id)
    try:
        done = _change_view(request, view_id)
    except ViewNotFound as error:
        raise Http404(str(error)) from error
    except Problem as problem:
        return _views_page(request, problem, view_id)
    offer_undo(request, done, _undo_of(request, view_id, former))
    return redirect("saved-views")


def _undo_of(request: HttpRequest, view_id: int, former: undoing.ViewColumns | None) -> Undo | None:
    """Return the form that undoes a change; None if it has changed nothing that was there."""
    left = undoing.read_columns(view_id)
    if former is None or former == left:
        return None
    address = reverse("saved-view-undo", args=[view_id])
    return make_undo(request, address, former=asdict(former), left=left and asdict(left))


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def undo_change(request: HttpRequest, view_id: int) -> HttpResponse:
    """Undo a change or the deletion of a view, unless it has changed since then."""
    values, is_undone = read_undone(request), True
    left = values["left"]
    try:
        undoing.undo_change(
            view_id=view_id,
            former=ViewColumns(**values["former"]),
            left=ViewColumns(**left) if left else None,
            user=user_of(request),
            actor=actor_of(request),
        )
    except ViewNotFound as error:
        raise Http404(str(error)) from error
    except undoing.ViewHasChanged:
        is_undone = False
    report_undone(request, "the view", is_undone=is_undone)
    return redirect("saved-views")


def _change_view(request: HttpRequest, view_id: int) -> str:
    """Do `action`, and return a sentence about it."""
    action = request.POST.get("action", "")
    if action not in _ACTIONS:
        raise bad_field("action", "invalid_value", f"action must be one of {', '.join(_ACTIONS)}.")
    user, actor = user_of(request), actor_of(request)
    if action == "rename":
        name = request.POST.get("name", "")
        services.rename_view(view_id=view_id, user=user, actor=actor, name=name)
        return "Renamed."
    if action == "delete":
        services.delete_view(view_id=view_id, user=user, actor=actor)
        return "Deleted."
    services.share_view(view_id=view_id, user=user, actor=actor, shared=action == "share")
    return "The view is now shared with everyone." if action == "share" else "The view is no longer shared."


def _views_page(
    request: HttpRequest, problem: Problem | None = None, view_id: int | None = None
) -> HttpResponse:
    user = user_of(request)
    rows = [
        {
            "view": view,
            "line": _query_line(view.query),
            "may_change": services.may_change(view, user),
            "is_own": view.owner_id == user.pk,
            "error": problem.detail if problem and view.pk == view_id else "",
        }
        for view in services.views_of(user)
    ]
    context = {
        "rows": rows,
        "problem": None if view_id else problem,
        "sent": request.POST,
        "sent_line": _query_line(request.POST.get("query", "")),
    }
    status = problem.status if problem else 200
    return render(request, "messages_app/messages/views.html", context, status=status)


def _query_line(query: str) -> str:
    params = QueryDict(query.removeprefix("?"))
    return render_line(line_values(params, VOCABULARY), VOCABULARY)[0]


@require_POST
@requires_permission(roles.CAN_VIEW_MESSAGES)
def table_choice(request: HttpRequest) -> HttpResponse:
    """Store the settings of the table, and go back to the list."""
    if "reset" in request.POST:
        table_settings.forget_table(user=user_of(request))
    else:
        with transaction.atomic():
            table_settings.keep_table(user=user_of(request), columns=request.POST.getlist("columns"))
            keep_density(user=user_of(request), density=request.POST.get("density", ""))
    return redirect(_way_back(request.POST.get("query", "")))


def _way_back(query: str) -> str:
    """Return the list's address with the query string of the form, and no other address."""
    address = f"{reverse('message-list')}?{query.removeprefix('?')}".removesuffix("?")
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours else reverse("message-list")
