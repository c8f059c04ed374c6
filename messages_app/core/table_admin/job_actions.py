"""Actions of the admin that lead to the preview of a job. They change nothing themselves."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages as notices
from django.contrib.admin import action, helpers
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from messages_app.core.filters.table import name_values, parse_filters, write_values
from messages_app.core.problems import bad_field
from messages_app.core.table_admin.change_list import KeysetChangeList
from messages_app.core.table_admin.model_admin import TableAdmin

_NO_PARAMS: Mapping[str, str] = MappingProxyType({})

Action = Callable[["JobActions", HttpRequest, QuerySet[Any]], HttpResponse]


def job_action(
    kind: str, label: str, *, needs_filter: bool = True, params: Mapping[str, str] = _NO_PARAMS
) -> Action:
    """
    Return an action that leads to the preview of a job on the selected rows, or on all rows of the list.

    Args:
        kind: of the job, also the name of its permission: `has_<kind>_permission` of the admin class.
        needs_filter: whether such a job refuses to act on a whole table.
        params: further parameters of the preview.
    """

    @action(description=label, permissions=[kind])
    def show_preview(table: "JobActions", request: HttpRequest, queryset: "QuerySet[Any]") -> HttpResponse:
        selected = table.selected_filter(request)
        if needs_filter and not selected:
            notices.warning(request, "This job does not act on a whole table. Filter the list first.")
            return HttpResponseRedirect(request.get_full_path())
        query = urlencode({"kind": kind, **selected, **params}, doseq=True, safe=",:")
        return redirect(f"{reverse('job-new')}?{query}")

    show_preview.__name__ = kind
    return show_preview


class JobActions(TableAdmin):
    """A table whose rows are items of jobs."""

    # The filter by which a job selects rows by their keys.
    selected_as: str

    def response_action(self, request: HttpRequest, queryset: "QuerySet[Any]") -> HttpResponse | None:
        """Run an action that the user may use. Django's method would look for the rows in the queryset."""
        name = request.POST.get("action", "")
        chosen = self.get_actions(request).get(name)
        if chosen is None:
            notices.warning(request, "Choose an action.")
            return None
        return cast(Action, chosen[0])(self, request, queryset)

    def selected_filter(self, request: HttpRequest) -> Mapping[str, str | list[str]]:
        """
        Return the filter of a job: the filter of the list, or the selected keys.

        Raises:
            Problem: 400, a selected key is not valid.
        """
        if request.POST.get("select_across") != "1":
            return self._filter_of_keys(request.POST.getlist(helpers.ACTION_CHECKBOX_NAME))
        selection = cast(KeysetChangeList, self.get_changelist_instance(request)).selection
        if selection.is_by_key:
            return self._filter_of_keys([self.key_of(row) for row in selection.page.rows])
        return name_values(write_values(self.source.filters, selection.filters.values))

    def _filter_of_keys(self, keys: list[str]) -> dict[str, str]:
        chosen = list(dict.fromkeys(keys))
        params = QueryDict(mutable=True)
        params[self.selected_as] = ",".join(chosen)
        values, errors = parse_filters({self.selected_as: self.source.filters[self.selected_as]}, params)
        # A key with a comma would be several.
        if errors or len(chosen) > self.list_per_page or len(values[self.selected_as]) != len(chosen):
            raise bad_field(helpers.ACTION_CHECKBOX_NAME, "invalid_value", "Select rows of the list.")
        return {self.selected_as: ",".join(chosen)}
