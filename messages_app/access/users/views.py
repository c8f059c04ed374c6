"""The pages of users: the list, the form of a new one, and the page of each user."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages as notices
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.backends import user_with_rights
from messages_app.access.decorators import PageViews
from messages_app.access.reauthentication import ask_password
from messages_app.access.sessions.services import sessions_of
from messages_app.access.sessions.views import browser_name
from messages_app.access.users import services
from messages_app.access.users.forms import SearchForm, UserForm
from messages_app.access.users.grants import Mark, title_of, why_not_managed
from messages_app.access.users.links import DAYS, make_link
from messages_app.access.users.selectors import (
    UserLine,
    list_names_at_side,
    recent_entries,
    user_lines,
    user_page,
)
from messages_app.access.users.services import ChangeRefused, UserNotFound
from messages_app.audit.selectors import entries_about
from messages_app.core.edit_versions import Difference, EditConflict, list_differences
from messages_app.core.formatting import count_of
from messages_app.core.page_parameters import checks_parameters
from messages_app.core.parameters import single_values
from messages_app.core.reason_form import ReasonForm

VIEWS = PageViews(roles.CAN_MANAGE_USERS)
_FOLDER = "messages_app/access/users"


@VIEWS.shows_page
@checks_parameters
def user_list(request: HttpRequest) -> HttpResponse:
    """Show the users, or those whose names have a text."""
    params = request.GET.copy()
    if params.get("q") == "":
        del params["q"]  # the form sends its field empty to show everyone again
    values = single_values(params, ("q", "cursor"))
    search = SearchForm(values)
    text = search.cleaned_data["q"].strip() if search.is_valid() else ""
    page, lines = user_page(text=text, cursor=values.get("cursor"))
    context = {
        "search": search,
        "text": text,
        "page": page,
        "lines": [(line, _titles_of(line)) for line in lines],
        "has_providers": bool(settings.OIDC_PROVIDERS),
    }
    return render(request, f"{_FOLDER}/list.html", context)


@VIEWS.shows_and_takes_form
def new_user(request: HttpRequest) -> HttpResponse:
    """Show the form of a new user, or create one."""
    manager = _manager_of(request)
    form = UserForm(request.POST if request.method == "POST" else None, manager=manager)
    if request.method != "POST":
        return _render_new(request, form)
    if not form.is_valid():
        return _render_new(request, form, status=400)
    if question := ask_password(request):
        return question
    try:
        user = services.create_user(
            manager_id=manager.pk,
            actor=actor_of(request),
            grants=form.grant_keys,
            reason=form.cleaned_data["reason"],
            **form.profile,
        )
    except ChangeRefused as refusal:
        form.take_refusal(refusal)
        return _render_new(request, form, status=400)
    return _render_link(request, user, is_new=True)


@VIEWS.shows_and_takes_form
def user_page_of(request: HttpRequest, user_id: int) -> HttpResponse:
    """Show a user, or change the names and roles."""
    manager, user = _manager_of(request), _get_user(user_id)
    data = request.POST if request.method == "POST" else None
    form = UserForm(data, manager=manager, user=user, is_fixed=bool(why_not_managed(manager, user)))
    if request.method != "POST":
        return _render_user(request, manager, user, form)
    if not form.is_valid():
        return _render_user(request, manager, user, form, status=400)
    if question := ask_password(request):
        return question
    try:
        services.change_user(
            user_id=user_id,
            manager_id=manager.pk,
            actor=actor_of(request),
            version=form.cleaned_data["version"],
            grants=form.grant_keys,
            reason=form.cleaned_data["reason"],
            **form.profile,
        )
    except UserNotFound as error:
        raise Http404(str(error)) from error
    except ChangeRefused as refusal:
        form.take_refusal(refusal)
        return _render_user(request, manager, user, form, status=409)
    except EditConflict:
        user = _get_user(user_id)
        differences = list_differences([(form, UserForm(manager=manager, user=user))])
        return _render_user(request, manager, user, form, status=409, differences=differences)
    notices.success(request, "User saved.")
    return redirect("user", user_id)


@dataclass(frozen=True, kw_only=True)
class Decision:
    """
    A change of a user that asks first.

    Args:
        title: of its page and button.
        words: its effect, and whether it can be undone.
        act: the service.
        write_notice: returns the notice of its success; None: the page with the link follows.
        is_dangerous: whether something ends for the user.
    """

    title: str
    words: str
    act: Callable[..., object]
    write_notice: Callable[[services.Ended], str] | None
    is_dangerous: bool = True


def _describe_ended(ended: services.Ended) -> str:
    tokens = f", {count_of(ended.tokens, 'token')} revoked" if ended.tokens else ""
    return f"{count_of(ended.sessions, 'session')} ended{tokens}."


DECISIONS: Mapping[str, Decision] = {
    "deactivate": Decision(
        title="Deactivate user",
        words="The user is logged out everywhere and cannot log in. All API tokens are revoked permanently.",
        act=services.deactivate_user,
        write_notice=lambda ended: f"User deactivated. {_describe_ended(ended)}",
    ),
    "reactivate": Decision(
        title="Activate user",
        words="The user can log in again, with the same roles and password. Revoked tokens stay revoked.",
        act=services.reactivate_user,
        write_notice=lambda _: "User activated.",
        is_dangerous=False,
    ),
    "reset-password": Decision(
        title="Reset password",
        words="The password is no longer valid, and all sessions end. You get a link by which the user sets"
        " another one.",
        act=services.reset_password,
        write_notice=None,
    ),
    "reset-second-factor": Decision(
        title="Remove second factor",
        words="Verify first who asks for it. The user logs in with only the password, and all sessions end.",
        act=services.reset_second_factor,
        write_notice=lambda ended: f"Second factor removed. {_describe_ended(ended)}",
    ),
    "end-sessions": Decision(
        title="End sessions",
        words="The user is logged out everywhere and can log in again. API tokens stay valid.",
        act=services.end_sessions,
        write_notice=_describe_ended,
    ),
}


@VIEWS.shows_and_takes_form
def decide_on_user(request: HttpRequest, user_id: int, how: str) -> HttpResponse:
    """Show the form of a decision, or do it."""
    manager, user, decision = _manager_of(request), _get_user(user_id), DECISIONS[how]
    if why := why_not_managed(manager, user):
        return _render_decision(request, user, decision, ReasonForm(), refusal=why, status=409)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _render_decision(request, user, decision, form)
    if not form.is_valid():
        return _render_decision(request, user, decision, form, status=400)
    if question := ask_password(request):
        return question
    try:
        answer = decision.act(
            user_id=user_id, manager_id=manager.pk, actor=actor_of(request), **form.cleaned_data
        )
    except UserNotFound as error:
        raise Http404(str(error)) from error
    except ChangeRefused as refusal:
        return _render_decision(request, user, decision, form, refusal=str(refusal), status=409)
    if isinstance(answer, User):
        return _render_link(request, answer, is_new=False)
    if decision.write_notice:
        ended = answer if isinstance(answer, services.Ended) else services.Ended(sessions=0)
        notices.success(request, decision.write_notice(ended))
    return redirect("user", user_id)


def _manager_of(request: HttpRequest) -> User:
    """Return the user of the request with all rights, masked ones included."""
    manager = user_with_rights(user_of(request).pk)
    if manager is None:
        raise Http404
    return manager


def _get_user(user_id: int) -> User:
    user = user_with_rights(user_id)
    if user is None:
        raise Http404(f"No user has the id {user_id}.")
    return user


def _render_new(request: HttpRequest, form: UserForm, *, status: int = 200) -> HttpResponse:
    return render(
        request, f"{_FOLDER}/new.html", {"form": form, "side_list": list_names_at_side()}, status=status
    )


def _titles_of(line: UserLine) -> list[str]:
    """Return what a user has, in words."""
    marks = [mark for mark in Mark if getattr(line, mark.value)]
    return [*map(title_of, [*line.roles, *marks]), *line.permissions]


def _render_user(
    request: HttpRequest,
    manager: User,
    user: User,
    form: UserForm,
    *,
    status: int = 200,
    differences: Sequence[Difference] | None = None,
) -> HttpResponse:
    (line,) = user_lines([user.pk])
    refusal = why_not_managed(manager, user)
    may_view_audit = manager.has_perm(roles.CAN_VIEW_AUDIT)
    context = {
        "form": form,
        "differences": differences,
        "line": line,
        "refusal": refusal,
        "decisions": [] if refusal else [(how, DECISIONS[how]) for how in _possible_decisions(line)],
        "sessions": [(session, browser_name(session.browser)) for session in sessions_of(user)],
        "actions": recent_entries(user) if may_view_audit else [],
        "changes": entries_about(services.SUBJECT_KIND, str(user.pk)) if may_view_audit else [],
        "may_view_audit": may_view_audit,
        "is_own": user.pk == manager.pk,
        "side_list": list_names_at_side(user.pk),
    }
    return render(request, f"{_FOLDER}/user.html", context, status=status)


def _possible_decisions(line: UserLine) -> list[str]:
    if not line.is_active:
        return ["reactivate"]
    names = {
        "reset-password": not line.issuer,
        "reset-second-factor": line.has_second_factor,
        "end-sessions": bool(line.sessions),
        "deactivate": True,
    }
    return [name for name, is_possible in names.items() if is_possible]


def _render_link(request: HttpRequest, user: User, *, is_new: bool) -> HttpResponse:
    """Render the link of a user, which is shown only this time."""
    context = {"account": user, "link": make_link(request, user), "is_new": is_new, "days": DAYS}
    return render(request, f"{_FOLDER}/link.html", context)


def _render_decision(
    request: HttpRequest,
    user: User,
    decision: Decision,
    form: ReasonForm,
    *,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {"account": user, "decision": decision, "form": form, "refusal": refusal}
    return render(request, f"{_FOLDER}/decision.html", context, status=status)
