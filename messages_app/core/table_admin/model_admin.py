"""The admin class of a read-only table."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin import ModelAdmin, ShowFacets, site
from django.contrib.admin.utils import flatten_fieldsets, quote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import capfirst

from messages_app.core.filters.address import is_storable
from messages_app.core.formatting import EMPTY
from messages_app.core.table_admin.change_list import PAGE_PARAMETERS, KeysetChangeList
from messages_app.core.table_admin.related_rows import RelatedRows
from messages_app.core.table_admin.source import ListSource

_READING = frozenset({"GET", "HEAD"})


class TableAdmin(ModelAdmin):  # type: ignore[type-arg]  # it takes no parameter when it runs
    """
    A table that can be viewed by the users of a role, and changed by no one.

    Attributes:
        right: the permission for the console's pages of the table.
        source: the list.
    """

    right: str
    source: ListSource

    list_filter: ClassVar[Any] = ()
    list_per_page = 50
    empty_value_display = EMPTY
    show_full_result_count = False
    # Django would resolve the address of each row: 40 ms for a page. No form leads back to the list.
    preserve_filters = False
    show_facets = ShowFacets.NEVER
    # Django shows the search box for any value. `source` has the meaning of a search.
    search_fields = ("pk",)
    actions_selection_counter = True
    change_list_template = "admin/table/change_list.html"
    change_form_template = "admin/table/change_form.html"

    @property
    def filter_names(self) -> frozenset[str]:
        """The names of the filters that the list accepts."""
        return frozenset(str(each.parameter_name) for each in self.list_filter)

    # Permissions are those of the console's pages.

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm(self.right)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    # The list.

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type[KeysetChangeList]:
        return KeysetChangeList

    def get_sortable_by(self, request: HttpRequest) -> tuple[str, ...]:
        return self.source.orders

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in {*self.filter_names, *PAGE_PARAMETERS}

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        if request.method not in _READING and "action" not in request.POST:
            raise PermissionDenied
        title = {"title": capfirst(str(self.opts.verbose_name_plural))}
        return super().changelist_view(request, {**title, **(extra_context or {})})

    # One row.

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """Return the row of an address, or None for a text that no row can have as its key."""
        if "\0" in object_id or not is_storable(object_id):
            return None
        return self.source.find(object_id)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        return flatten_fieldsets(self.get_fieldsets(request, obj))

    def key_of(self, row: Any) -> str:
        """Return the key of a row in its address."""
        return str(row.pk)

    def url_of(self, row: Model) -> str:
        return self.url_of_key(self.key_of(row))

    def url_of_key(self, key: int | str) -> str:
        return reverse(f"admin:{self._route_prefix}_change", args=[quote(key)])

    def list_url(self, **params: object) -> str:
        """Return the address of the list with these filters."""
        return f"{reverse(f'admin:{self._route_prefix}_changelist')}?{urlencode(params)}"

    @property
    def _route_prefix(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}"

    def console_url(self, row: Any) -> str:
        """Return the console's page of a row; empty if it has none."""
        return ""

    def related_tables(self, row: Any) -> Sequence[RelatedRows]:
        """Return the rows that belong to a row."""
        return ()

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """Show a row. Django's view locks the transaction for a change that cannot happen here."""
        if request.method not in _READING or object_id is None:
            raise PermissionDenied
        return self._changeform_view(request, object_id, form_url, extra_context)  # type: ignore[attr-defined,no-any-return]

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        own = {
            "title": capfirst(str(obj)),
            "subtitle": None,
            "related_tables": self.related_tables(obj),
            "console_url": self.console_url(obj),
        }
        return super().render_change_form(request, {**context, **own}, add, change, form_url, obj)


def make_column(
    title: str, show: Callable[[Any], Any], *, boolean: bool | None = None
) -> Callable[[TableAdmin, Any], Any]:
    """
    Return a method for the body of an admin's class: a column that is not one of the table.

    Args:
        show: returns its value for a row.
    """
    return admin.display(description=title, boolean=boolean)(lambda _, row: show(row))


def admin_of(model: type[Model]) -> TableAdmin:
    """Return the admin of a table."""
    return site.get_model_admin(model)  # type: ignore[return-value]  # the class of all of these tables
