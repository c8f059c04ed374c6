"""The suggestions for the query line, as the page's script asks for them."""

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from messages_app.access import roles
from messages_app.access.decorators import requires
from messages_app.core.query_language.suggestions import suggest
from messages_app.messages.filters.filters import names_for
from messages_app.messages.filters.vocabulary import VOCABULARY

# No one types more; what is longer is cut, which at worst suggests nothing.
_MAX_LINE = 4000


@require_safe
@requires(roles.CAN_VIEW_MESSAGES)
def suggestions(request: HttpRequest) -> HttpResponse:
    """Answer {"start", "end", "options": [{"text", "meaning", "insert"}]} for `q` with the caret `at`."""
    line = request.GET.get("q", "")[:_MAX_LINE].replace("\0", "")
    caret = request.GET.get("at", "")
    at = int(caret) if caret.isascii() and caret.isdigit() and len(caret) < 6 else len(line)
    found = suggest(line, min(at, len(line)), VOCABULARY, allowed=names_for(request.user))
    return JsonResponse(asdict(found))
