"""The way from any id to what it names: as a form, and as the part of a page that shows it at once."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.gate import requires
from messages_app.messages.finding.lookup import cleaned, list_of_none, look_up
from messages_app.web.found import Kind, LookUp

# Of each other room the right to see it, and how it looks: rooms do not know each other, addresses know all.
Others = Sequence[tuple[str, LookUp]]


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def find_message(request: HttpRequest, others: Others = ()) -> HttpResponse:
    """Go to what an id of any kind names: one page, or the list of those that share it."""
    text = cleaned(request.GET.get("id", ""))
    kinds = _found(request, text, others)
    if not kinds:
        return redirect(list_of_none(text))
    target = _only_page(kinds[0]) or kinds[0].list_url
    if target:
        return redirect(target)
    return render(request, "messages_app/messages/found.html", {"text": text, "kinds": kinds})


def _found(request: HttpRequest, text: str, others: Others) -> list[Kind]:
    looks = [look_up, *(look for right, look in others if request.user.has_perm(right))]
    return [kind for look in looks for kind in look(text)]


def _only_page(kind: Kind) -> str:
    """Return the one page that all of them lead to; empty where there are several or none."""
    pages = {hit.url for hit in kind.hits}
    return pages.pop() if len(pages) == 1 and not kind.more else ""


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def found_part(request: HttpRequest, others: Others = ()) -> HttpResponse:
    """Show all that has the id, for the dialog of every page."""
    text = cleaned(request.GET.get("id", ""))
    context = {"text": text, "kinds": _found(request, text, others)}
    return render(request, "messages_app/messages/_found.html", context)
