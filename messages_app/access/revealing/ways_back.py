"""Where a reader stands who is asked for a reason, and the way back there."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

from messages_app.access.gate import asking_page

_READS = {"GET", "HEAD"}
_HOME = "/"


def page_of(request: HttpRequest) -> str:
    """Return the address of the page that the reader sees; of a part, or a form's answer, that around it."""
    is_page = request.method in _READS and "HX-Request" not in request.headers
    return request.get_full_path() if is_page else asking_page(request)


def way_back(request: HttpRequest) -> str:
    """Return the address that a form or a link sent along; the first page where it leads away from here."""
    address = (request.POST if request.method == "POST" else request.GET).get("next", "")
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if is_ours and address.startswith("/") else _HOME
