"""The filters next to a changelist. The list of the store reads their values, so none of them has a query."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.options import ModelAdmin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

if TYPE_CHECKING:
    Choices = Iterable[tuple[str, str]]

_RECENT = (("-1h", "Last hour"), ("-24h", "Last 24 hours"), ("-7d", "Last 7 days"))


class TableFilter(SimpleListFilter):
    """A filter of the store's list by its name in the address."""

    def queryset(self, request: HttpRequest, queryset: "QuerySet[Any]") -> None:
        return None

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Model]") -> list[tuple[str, str]]:
        """Return the choices, and the current value if it is not one of them."""
        choices = list(self.choices_of_list())
        value = self.value()
        return choices if value is None or value in dict(choices) else [*choices, (value, value)]

    def choices_of_list(self) -> "Choices":
        return ()


def choice_filter(name: str, title: str, read_choices: "Callable[[], Choices]") -> type[TableFilter]:
    """Return a filter with a link for each choice. `read_choices` returns (value, text) pairs."""

    class ChoiceFilter(TableFilter):
        def choices_of_list(self) -> "Choices":
            return read_choices()

    return _with_name(ChoiceFilter, name, title)


def recent_filter(name: str, title: str) -> type[TableFilter]:
    """Return a filter by the start of a time range."""
    return choice_filter(name, title, lambda: _RECENT)


def value_filter(name: str, title: str) -> type[TableFilter]:
    """Return a filter that links and addresses use. It is only shown with its current value."""
    return _with_name(type("ValueFilter", (TableFilter,), {}), name, title)


def _with_name(kind: type[TableFilter], name: str, title: str) -> type[TableFilter]:
    kind.parameter_name, kind.title = name, title
    return kind
