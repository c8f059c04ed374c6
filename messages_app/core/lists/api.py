"""Lists over REST: their filters and paging read strictly, their pages answered in one shape."""

from collections.abc import Iterable

from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.core.filters.table import Table, Values, read
from messages_app.core.lists.views import PageWanted
from messages_app.core.pagination import paginator
from messages_app.core.pagination.keyset import M
from messages_app.core.problems import bad_input

# The parameters of a list in one order alone.
PAGING = frozenset({"cursor", "page_size"})


def filters_of(request: Request, filters: Table, *, besides: frozenset[str]) -> Values:
    """
    Return the values of a list's filters.

    Args:
        besides: parameters that the list has in addition.

    Raises:
        Problem: 400 with an entry for each parameter at fault.
    """
    values, errors = read(filters, request.query_params, besides=besides)
    if errors:
        raise bad_input(errors)
    return values


def page_wanted(request: Request) -> PageWanted:
    """Return the cursor and the size of the page. Raises Problem: 400, the size is not one."""
    how = paginator.arguments(request.query_params)
    return {"cursor": how["cursor"], "page_size": how["page_size"]}


def page_answer(request: Request, page: paginator.Page[M], rows: Iterable[object]) -> Response:
    """Answer a page of a list: the addresses of its neighbours, and its rows as the API shows them."""
    return Response({**paginator.page_links(request._request, page), "results": rows})
