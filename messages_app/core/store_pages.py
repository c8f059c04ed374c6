"""The base of a store's pages: the folder of its templates, the sections above each page, and permissions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from messages_app.core.lists import views
from messages_app.core.lists.filter_form import ListForm
from messages_app.core.lists.views import ListRequest
from messages_app.core.sections import make_sections


@dataclass(frozen=True, kw_only=True)
class StorePages:
    """
    The pages of one store.

    Args:
        folder: the folder of the templates, below templates/messages_app/.
        sections: titles by the name of the route, beginning with the first page of the store. Empty for a
            store whose pages have their own entries in the menu.
        queries: the initial query strings of sections, by route.
        restricted: the permissions of sections that need one of their own, by route.
        rights: the permissions that templates check, by the name of the context variable.
        shared: the context of every template.
    """

    folder: str
    sections: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)
    restricted: Mapping[str, str] = field(default_factory=dict)
    rights: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, object] = field(default_factory=dict)

    def render_page(
        self,
        request: HttpRequest,
        name: str,
        context: Mapping[str, object],
        *,
        section: str = "",
        status: int = 200,
    ) -> HttpResponse:
        """
        Render a page.

        Args:
            name: the name of the template.
            context: further context, which overrides the shared one.
            section: the route of the section that it belongs to, if the pages have sections.
        """
        shared = {
            **(self._sections_of(request, section) if self.sections else {}),
            **{name: request.user.has_perm(right) for name, right in self.rights.items()},
            **self.shared,
        }
        template = f"messages_app/{self.folder}/{name}.html"
        return render(request, template, {**shared, **context}, status=status)

    def _sections_of(self, request: HttpRequest, current: str) -> Mapping[str, object]:
        """Return the sections that the user may open, and the address of the first one."""
        titles = {
            route: title
            for route, title in self.sections.items()
            if route not in self.restricted or request.user.has_perm(self.restricted[route])
        }
        return {
            "sections": make_sections(titles, current=current, beginnings=self.queries, path=request.path),
            "home": reverse(next(iter(self.sections))),
        }

    def answer_list(
        self,
        request: HttpRequest,
        name: str,
        form: type[ListForm],
        fetch: Callable[[ListRequest], Mapping[str, object]],
        *,
        section: str,
        make_more: Callable[[ListForm], Mapping[str, object]] | None = None,
    ) -> HttpResponse:
        """
        Render a list: its form, and the result of `fetch` or, if the address has errors, the errors instead.

        Args:
            `make_more`: returns further context, which the page also has if the list cannot be shown.
        """

        def render_list(context: Mapping[str, object], form: ListForm, status: int) -> HttpResponse:
            more = make_more(form) if make_more else {}
            return self.render_page(request, name, {**context, **more}, section=section, status=status)

        return views.answer_list(request, form, fetch, render_list)
