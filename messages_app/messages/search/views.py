"""The pages of the search: a form, and a part of a page that shows the results immediately."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires_permission
from messages_app.core.id_search import Kind, LookUp
from messages_app.core.store_functions import functions_of
from messages_app.core.stores import installed_stores
from messages_app.messages.listing.filter_form import offer_search
from messages_app.messages.search.lookup import MAX_LENGTH, is_possible, list_without_match


@dataclass(frozen=True, kw_only=True)
class Matches:
    """
    The rows of all stores that have the entered id.

    Args:
        text: the id as it was entered.
        kinds: the rows, for each kind of id.
        trimmed: the id that they have, if none has the entered one and this is it without the white space
            at its ends; else empty.
    """

    text: str
    kinds: list[Kind]
    trimmed: str = ""


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def find_message(request: HttpRequest) -> HttpResponse:
    """Redirect to the page of the only match or to the list of all; else show the matches."""
    text = request.GET.get("id", "")
    matches = _search_stores(request, text)
    is_exact = bool(matches.kinds) and not matches.trimmed
    if not matches.kinds and (is_possible(text) or not text):
        return redirect(list_without_match(text))
    target = (_only_page(matches.kinds[0]) or matches.kinds[0].list_url) if is_exact else ""
    if target:
        return redirect(target)
    context = {"matches": matches, "most": MAX_LENGTH, "search": offer_search(request, text)}
    return render(request, "messages_app/messages/search_page.html", context)


def _search_stores(request: HttpRequest, text: str) -> Matches:
    """Return the matches in all stores that the user may see."""
    looks: list[LookUp] = [
        look
        for store in installed_stores()
        if (look := functions_of(store).look_up) and request.user.has_perm(store.look_up_right)
    ]
    for one in dict.fromkeys((text, text.strip())):
        kinds = [kind for look in looks for kind in look(one)] if is_possible(one) else []
        if kinds:
            return Matches(text=text, kinds=kinds, trimmed="" if one == text else one)
    return Matches(text=text, kinds=[])


def _only_page(kind: Kind) -> str:
    """Return the page that all matches link to; empty if there are several or none."""
    pages = {hit.url for hit in kind.hits}
    return pages.pop() if len(pages) == 1 and not kind.more else ""


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
def show_matches(request: HttpRequest) -> HttpResponse:
    """Show the matches in the search dialog, which is on every page."""
    matches = _search_stores(request, request.GET.get("id", ""))
    search = None if matches.kinds else offer_search(request, matches.text)
    context = {"matches": matches, "search": search}
    return render(request, "messages_app/messages/_search_results.html", context)
