"""The pages of the search: a form, and a part of a page that shows the results immediately."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.actors import user_of
from messages_app.access.decorators import requires_permission
from messages_app.core.page_parameters import takes_parameters
from messages_app.core.search_results import Kind
from messages_app.finding.recent_places import find_places
from messages_app.finding.search_sources import MAX_TEXT, is_searchable, search_everything
from messages_app.messages.listing.filter_form import offer_search


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("id")
def find_message(request: HttpRequest) -> HttpResponse:
    """Redirect to the page of the only row with an id or to the list of all; else show all results."""
    text = request.GET.get("id", "")
    if not text:
        return redirect(reverse("message-list"))
    matches = search_everything(text, user_of(request))
    is_exact = bool(matches.ids) and not matches.trimmed
    target = (_only_page(matches.ids[0]) or matches.ids[0].list_url) if is_exact else ""
    if target:
        return redirect(target)
    context = {
        "matches": matches,
        "most": MAX_TEXT,
        "is_searchable": is_searchable(text),
        "search": None if matches.ids else offer_search(request, text),
    }
    return render(request, "messages_app/finding/results_page.html", context)


def _only_page(kind: Kind) -> str:
    """Return the page that all matches link to; empty if there are several or none."""
    pages = {hit.url for hit in kind.hits}
    return pages.pop() if len(pages) == 1 and not kind.more else ""


@require_safe
@requires_permission(roles.CAN_VIEW_MESSAGES)
@takes_parameters("id", "recent")
def show_matches(request: HttpRequest) -> HttpResponse:
    """Show the results in the search dialog of every page; pinned and recent objects if nothing is typed."""
    if not request.GET.get("id"):
        kinds = list(find_places(request.GET.get("recent", "").split(), user_of(request)))
        return render(request, "messages_app/finding/_results.html", {"matches": {"kinds": kinds}})
    matches = search_everything(request.GET.get("id", ""), user_of(request))
    search = None if matches.ids else offer_search(request, matches.text)
    context = {"matches": matches, "search": search}
    return render(request, "messages_app/finding/_results.html", context)
