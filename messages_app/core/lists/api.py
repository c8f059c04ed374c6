"""Lists over REST: strict parsing of filters and paging, and one format of pages."""

from collections.abc import Iterable

from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.core.lists.views import PageParams
from messages_app.core.pagination import paginator
from messages_app.core.pagination.keyset import M

# The parameters of a list with a fixed order.
PAGING = frozenset({"cursor", "page_size"})


def page_wanted(request: Request) -> PageParams:
    """Return the cursor and the size of the page. Raises Problem: 400, the size is invalid."""
    how = paginator.parse_paging(request.query_params)
    return {"cursor": how["cursor"], "page_size": how["page_size"]}


def page_answer(request: Request, page: paginator.Page[M], rows: Iterable[object]) -> Response:
    """Answer with a page of a list: the addresses of the neighbouring pages, and the rows."""
    return Response({**paginator.page_links(request._request, page), "results": rows})
