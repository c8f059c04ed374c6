"""The page of groups and roles: the list, the form of a new one, and removing."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.decorators import PageViews
from messages_app.access.provider_settings import provider_at
from messages_app.access.providers import mappings
from messages_app.access.providers.identities import MAX_GROUP
from messages_app.access.providers.mappings import MappingLine, MappingNotFound
from messages_app.access.reauthentication import ask_password
from messages_app.access.users.grants import title_of
from messages_app.access.users.services import ChangeRefused
from messages_app.core.reason_form import ReasonForm, reason_field

VIEWS = PageViews(roles.CAN_MANAGE_USERS)
_FOLDER = "messages_app/access/providers"


class MappingForm(forms.Form):
    """A group of a provider, and its role."""

    provider = forms.ChoiceField(error_messages={"invalid_choice": "There is no provider %(value)s."})
    group_name = forms.CharField(
        label="Group",
        max_length=MAX_GROUP,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "list": "groups"}),
        error_messages={"required": "Enter the name of a group, as the provider sends it."},
    )
    role = forms.ChoiceField(
        error_messages={"invalid_choice": "There is no role %(value)s that you can give."}
    )
    reason = reason_field()

    def __init__(self, data: QueryDict | None = None, *, manager_id: int, initial: dict[str, Any]) -> None:
        super().__init__(data, initial=initial)
        names = [(key, provider.name) for key, provider in settings.OIDC_PROVIDERS.items()]
        titles = [(grant.key, grant.title) for grant in mappings.offer_roles(manager_id)]
        self.fields["provider"].choices = names  # type: ignore[attr-defined]
        self.fields["role"].choices = titles  # type: ignore[attr-defined]
        if len(names) == 1:
            self.fields["provider"].widget = forms.HiddenInput()
            self.initial["provider"] = names[0][0]


@VIEWS.shows_and_takes_form
def group_mappings(request: HttpRequest) -> HttpResponse:
    """Show the roles of groups with a form, or give a role to a group."""
    if not settings.OIDC_PROVIDERS:
        raise Http404("No identity provider is set up.")
    manager_id = user_of(request).pk
    data = request.POST if request.method == "POST" else None
    form = MappingForm(data, manager_id=manager_id, initial={"group_name": request.GET.get("group", "")})
    if data is None:
        return _render_mappings(request, form)
    if question := ask_password(request):
        return question
    if not form.is_valid():
        return _render_mappings(request, form, status=400)
    chosen = form.cleaned_data
    try:
        mappings.add_mapping(
            manager_id=manager_id,
            actor=actor_of(request),
            issuer=settings.OIDC_PROVIDERS[chosen["provider"]].issuer,
            group_name=chosen["group_name"],
            role=chosen["role"],
            reason=chosen["reason"],
        )
    except ChangeRefused as refusal:
        form.add_error(refusal.field or None, str(refusal))
        return _render_mappings(request, form, status=409)
    notices.success(request, f"Members of {chosen['group_name']} get the role at their next log-in.")
    return redirect("group-mappings")


@VIEWS.shows_and_takes_form
def remove_mapping(request: HttpRequest, mapping_id: int) -> HttpResponse:
    """Ask for a reason, and take a role from a group."""
    lines = mappings.list_mappings(mapping_id)
    if not lines:
        raise Http404(f"No mapping has the id {mapping_id}.")
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method != "POST":
        return _render_removal(request, lines[0], form)
    if question := ask_password(request):
        return question
    if not form.is_valid():
        return _render_removal(request, lines[0], form, status=400)
    try:
        line = mappings.remove_mapping(
            manager_id=user_of(request).pk,
            actor=actor_of(request),
            mapping_id=mapping_id,
            reason=form.cleaned_data["reason"],
        )
    except MappingNotFound as error:
        raise Http404(str(error)) from error
    except ChangeRefused as refusal:
        form.add_error(None, str(refusal))
        return _render_removal(request, lines[0], form, status=409)
    notices.success(request, f"Members of {line.group_name} lose the role at their next log-in.")
    return redirect("group-mappings")


def _render_mappings(request: HttpRequest, form: MappingForm, *, status: int = 200) -> HttpResponse:
    issuers = [provider.issuer for provider in settings.OIDC_PROVIDERS.values()]
    context = {
        "form": form,
        "lines": [
            (line, provider_at(line.issuer) or line.issuer, title_of(line.role))
            for line in mappings.list_mappings()
        ],
        "has_several": len(issuers) > 1,
        "groups": sorted(
            {group for issuer in issuers for group in mappings.list_groups_without_role(issuer)}
        ),
    }
    return render(request, f"{_FOLDER}/mappings.html", context, status=status)


def _render_removal(
    request: HttpRequest, line: MappingLine, form: ReasonForm, *, status: int = 200
) -> HttpResponse:
    context = {"line": line, "title": title_of(line.role), "form": form}
    return render(request, f"{_FOLDER}/remove_mapping.html", context, status=status)
