"""
The parameters of pages. A page takes none unless it declares them; others are refused with a 400 that names
them.

`ProblemMiddleware` checks every page, so that a new page is strict without doing anything. The API and the
Django admin have rules of their own.

Source: docs/contributing/spec/bad_input.md, "Lists".
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from inspect import getclosurevars
from typing import Any, TypeVar

from django.http import HttpRequest

from messages_app.core.parameters import name_errors
from messages_app.core.problems import bad_input, is_of_api

View = TypeVar("View", bound=Callable[..., Any])
_ADMIN = "/admin/"


@dataclass(frozen=True, kw_only=True)
class PageParameters:
    """
    The parameters of one page.

    Args:
        names: the names; None: the view refuses unknown ones itself, or takes any.
        repeatable: the names that may be given more than once.
    """

    names: frozenset[str] | None = frozenset()
    repeatable: frozenset[str] = frozenset()


def takes_parameters(*names: str, repeatable: Collection[str] = ()) -> Callable[[View], View]:
    """Declare the parameters of a page. The view checks their values."""
    return _declare_parameters(PageParameters(names=frozenset(names), repeatable=frozenset(repeatable)))


def checks_parameters(view: View) -> View:
    """Declare that a view refuses unknown parameters itself, as lists do next to their filters."""
    return _declare_parameters(PageParameters(names=None))(view)


def ignores_parameters(view: View) -> View:
    """Declare that any parameter may be given, because tools that are not ours add some."""
    return _declare_parameters(PageParameters(names=None))(view)


def _declare_parameters(parameters: PageParameters) -> Callable[[View], View]:
    def mark_view(view: View) -> View:
        # Decorators copy the attributes of a view.
        view.page_parameters = parameters  # type: ignore[attr-defined]  # a function has any attribute
        return view

    return mark_view


def refuse_unknown_parameters(request: HttpRequest, view: Callable[..., Any]) -> None:
    """
    Refuse parameters that the view of a page does not take, if it takes the method.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    if not request.GET or is_of_api(request.path_info) or request.path_info.startswith(_ADMIN):
        return
    declared: PageParameters = getattr(view, "page_parameters", PageParameters())
    if declared.names is None or not _may_take_method(request, view):
        return
    if errors := name_errors(request.GET, declared.names, repeatable=declared.repeatable):
        raise bad_input(errors)


def _may_take_method(request: HttpRequest, view: Callable[..., Any]) -> bool:
    """Return whether a view takes the method; if not, its answer is a 405, whatever the parameters are."""
    # Django's decorators keep the methods in their closure, and nowhere else.
    methods = getclosurevars(view).nonlocals.get("request_method_list")
    return methods is None or request.method in methods
