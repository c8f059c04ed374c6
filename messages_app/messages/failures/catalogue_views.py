"""The pages of error codes: the list, and the forms to add, change or delete one."""

from collections.abc import Mapping, Sequence

from django import forms
from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from messages_app.access import roles
from messages_app.access.actors import actor_of
from messages_app.access.decorators import PageViews, check_right
from messages_app.audit.selectors import entries_about
from messages_app.core.edit_versions import Difference, EditConflict, VersionedForm, list_differences
from messages_app.core.lists.side_list import MAX_LINKS, SideLink, SideList, make_side_list
from messages_app.core.problems import Problem
from messages_app.core.reason_form import ReasonForm, reason_field
from messages_app.messages.failures import catalogue
from messages_app.messages.failures.models import ErrorCode

VIEWS = PageViews(roles.CAN_VIEW_MESSAGES)
_FOLDER = "messages_app/failures"
_CODE = {"autocomplete": "off", "spellcheck": "false", "placeholder": "E103"}


class CodeForm(forms.Form):
    """The texts of a code."""

    description = forms.CharField(max_length=catalogue.MAX_DESCRIPTION, label="Meaning")
    action = forms.CharField(
        required=False,
        max_length=catalogue.MAX_ACTION,
        label="Recommended action",
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    reason = reason_field()

    def take_problem(self, problem: Problem) -> None:
        """Show what the service refused next to its field."""
        for error in problem.errors:
            self.add_error(error.field if error.field in self.fields else None, error.message)


class ChangeCodeForm(VersionedForm, CodeForm):
    """The texts of a stored code."""


class NewCodeForm(CodeForm):
    """A new code."""

    code = forms.CharField(max_length=5, label="Code", widget=forms.TextInput(attrs=_CODE))
    field_order = ("code", "description", "action", "reason")


@VIEWS.shows_page
def code_list(request: HttpRequest) -> HttpResponse:
    """Show the catalogue."""
    may_change = request.user.has_perm(roles.CAN_CHANGE_CODES)
    context = {"lines": catalogue.list_codes(), "may_change": may_change}
    return render(request, f"{_FOLDER}/codes.html", context)


@VIEWS.shows_and_takes_form
def new_code(request: HttpRequest) -> HttpResponse:
    """Show the form of a new code, or add it."""
    check_right(request, roles.CAN_CHANGE_CODES, action="create_error_code")
    form = NewCodeForm(_data_of(request))
    if not form.is_valid():
        return _render_new(request, form, status=400 if form.is_bound else 200)
    try:
        catalogue.add_code(actor=actor_of(request), **form.cleaned_data)
    except Problem as problem:
        form.take_problem(problem)
        return _render_new(request, form, status=400)
    except catalogue.CodeConflict as conflict:
        form.add_error("code", str(conflict))
        return _render_new(request, form, status=409)
    notices.success(request, f"Code {form.cleaned_data['code']} added.")
    return redirect("error-codes")


@VIEWS.shows_and_takes_form
def change_code(request: HttpRequest, code: str) -> HttpResponse:
    """Show the form of a code, or change it."""
    check_right(request, roles.CAN_CHANGE_CODES, action="change_error_code")
    row = _read_code(code)
    form = ChangeCodeForm(_data_of(request), initial=_values_of(row))
    if not form.is_valid():
        return _render_code(request, row, form, status=400 if form.is_bound else 200)
    try:
        catalogue.change_code(code=row.code, actor=actor_of(request), **form.cleaned_data)
    except Problem as problem:
        form.take_problem(problem)
        return _render_code(request, row, form, status=400)
    except catalogue.CodeNotFound as error:
        raise Http404(str(error)) from error
    except EditConflict:
        row = _read_code(code)
        differences = list_differences([(form, ChangeCodeForm(initial=_values_of(row)))])
        return _render_code(request, row, form, status=409, differences=differences)
    notices.success(request, f"Code {row.code} saved.")
    return redirect("error-codes")


def _values_of(row: ErrorCode) -> dict[str, object]:
    return {
        "description": row.description,
        "action": row.action,
        "version": catalogue.read_version(row),
    }


@VIEWS.shows_and_takes_form
def delete_code(request: HttpRequest, code: str) -> HttpResponse:
    """Ask for the reason, and delete a code that is not one of the hub's own."""
    check_right(request, roles.CAN_CHANGE_CODES, action="delete_error_code")
    row = _read_code(code)
    form = ReasonForm(_data_of(request))
    context: Mapping[str, object] = {"code": row, "form": form}
    if not form.is_valid():
        status = 400 if form.is_bound else 200
        return render(request, f"{_FOLDER}/code_delete.html", context, status=status)
    try:
        catalogue.delete_code(code=row.code, actor=actor_of(request), **form.cleaned_data)
    except catalogue.CodeNotFound as error:
        raise Http404(str(error)) from error
    except catalogue.CodeConflict as conflict:
        form.add_error(None, str(conflict))
        return render(request, f"{_FOLDER}/code_delete.html", context, status=409)
    notices.success(request, f"Code {row.code} deleted. Messages keep it.")
    return redirect("error-codes")


def _data_of(request: HttpRequest) -> Mapping[str, str] | None:
    return request.POST if request.method == "POST" else None


def _read_code(code: str) -> ErrorCode:
    row = None if "\0" in code else ErrorCode.objects.filter(pk=code).first()
    if row is None:
        raise Http404("The catalogue has no such code.")
    return row


def _list_others(open_code: str = "") -> SideList:
    """Return the codes for the left of a form."""
    links = (
        SideLink(
            address=reverse("error-code", args=[row.code]),
            title=row.code,
            second=row.description,
            is_open=row.code == open_code,
        )
        for row in ErrorCode.objects.order_by("code")[: MAX_LINKS + 1]
    )
    return make_side_list("Error codes", reverse("error-codes"), links)


def _render_new(request: HttpRequest, form: NewCodeForm, *, status: int) -> HttpResponse:
    return render(
        request, f"{_FOLDER}/code_new.html", {"form": form, "side_list": _list_others()}, status=status
    )


def _render_code(
    request: HttpRequest,
    row: ErrorCode,
    form: CodeForm,
    *,
    status: int,
    differences: Sequence[Difference] | None = None,
) -> HttpResponse:
    may_view_audit = request.user.has_perm(roles.CAN_VIEW_AUDIT)
    changes = entries_about(catalogue.SUBJECT_KIND, row.code) if may_view_audit else []
    context = {
        "code": row,
        "form": form,
        "changes": changes,
        "may_view_audit": may_view_audit,
        "differences": differences,
        "side_list": _list_others(row.code),
    }
    return render(request, f"{_FOLDER}/code.html", context, status=status)
