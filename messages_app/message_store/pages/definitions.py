"""Source definitions: the list, and the page of one, where those who may change it."""

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.gate import refuse, requires
from messages_app.message_store import queries, services
from messages_app.message_store.extensions import processors, readers
from messages_app.message_store.models import SourceDefinition
from messages_app.message_store.pages import frame
from messages_app.message_store.pages.definition_forms import (
    DefinitionForm,
    NewDefinitionForm,
    values_of,
    written,
)
from messages_app.web.reasons import ReasonForm

_SECTION = "source-definitions"


@require_safe
@requires(roles.CAN_VIEW_STORE)
def definition_list(request: HttpRequest) -> HttpResponse:
    page = queries.definition_page(cursor=request.GET.get("cursor"))
    context = {"page": page, "may_change": request.user.has_perm(roles.CAN_CHANGE_DEFINITIONS)}
    return frame.page(request, "definitions", context, section=_SECTION)


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_STORE)
def new_definition(request: HttpRequest) -> HttpResponse:
    _check_right(request, "define_source")
    form = NewDefinitionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        names = {name: form.cleaned_data[name] for name in ("system", "entity")}
        if SourceDefinition.objects.filter(**names).exists():
            form.add_error("entity", "This system's entity has a definition: change that one.")
        elif saved := _saved(request, form, **names):
            return redirect("source-definition", saved.pk)
    context = {"form": form, **_registered()}
    return frame.page(
        request, "definition_new", context, section=_SECTION, status=400 if form.errors else 200
    )


@require_http_methods(["GET", "HEAD", "POST"])
@requires(roles.CAN_VIEW_STORE)
def definition_page(request: HttpRequest, definition_id: int) -> HttpResponse:
    definition = _found(definition_id)
    if request.method != "POST":
        return _page(request, definition)
    _check_right(request, "define_source", subject_kind="definition", subject=definition.pk)
    form = DefinitionForm(request.POST)
    if form.is_valid() and _saved(request, form, system=definition.system, entity=definition.entity):
        return redirect("source-definition", definition.pk)
    return _page(request, definition, status=400, form=form)


@require_POST
@requires(roles.CAN_VIEW_STORE)
def remove_definition(request: HttpRequest, definition_id: int) -> HttpResponse:
    definition = _found(definition_id)
    _check_right(request, "remove_source", subject_kind="definition", subject=definition.pk)
    form = ReasonForm(request.POST, auto_id="remove_%s")
    if not form.is_valid():
        return _page(request, definition, status=400, remove_form=form)
    try:
        services.remove_definition(
            definition_id=definition.pk, actor=actor_of(request), reason=form.cleaned_data["reason"]
        )
    except services.DefinitionMissing as error:
        raise Http404(str(error)) from error
    notices.success(request, f"Removed. Messages of {definition} end in an error from now on.")
    return redirect("source-definitions")


def _saved(
    request: HttpRequest, form: DefinitionForm, *, system: str, entity: str
) -> SourceDefinition | None:
    """Store what the form says; None where it is refused, and says why."""
    try:
        definition, is_new = services.define(
            definition=form.definition(system=system, entity=entity),
            actor=actor_of(request),
            reason=form.cleaned_data["reason"],
        )
    except services.InvalidInput as refusal:
        form.take(refusal)
        return None
    notices.success(
        request, "The definition is there." if is_new else "Changed, for attempts that begin from now on."
    )
    return definition


def _found(definition_id: int) -> SourceDefinition:
    definition = SourceDefinition.objects.filter(pk=definition_id).first()
    if definition is None:
        raise Http404(f"No source definition has the id {definition_id}.")
    return definition


def _check_right(request: HttpRequest, action: str, **target: str | int) -> None:
    if not request.user.has_perm(roles.CAN_CHANGE_DEFINITIONS):
        refuse(request, action=action, **target)


def _registered() -> dict[str, list[str]]:
    return {"readers": readers.names(), "processors": processors.names()}


def _page(
    request: HttpRequest, definition: SourceDefinition, status: int = 200, **more: object
) -> HttpResponse:
    context = {
        "definition": definition,
        "schema": written(definition.json_schema),
        "form": DefinitionForm(initial=values_of(definition)),
        "remove_form": ReasonForm(auto_id="remove_%s"),
        "may_change": request.user.has_perm(roles.CAN_CHANGE_DEFINITIONS),
        **_registered(),
    }
    return frame.page(request, "definition", context | more, section=_SECTION, status=status)
