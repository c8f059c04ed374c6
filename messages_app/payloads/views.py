"""The page of one content, for the views of the stores."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from messages_app.payloads.loader import Opened
from messages_app.payloads.view_params import ViewParams, parse_view_params
from messages_app.payloads.viewer import Viewer


def render_content(
    request: HttpRequest,
    opened: Opened,
    *,
    title: str,
    owner: tuple[str, str],
    box: str,
    params: ViewParams | None = None,
    **more: object,
) -> HttpResponse:
    """
    Render a piece of a content: a page or, for a request of htmx, only the part in its box.

    Args:
        title: the name of the content.
        owner: the title and the address of the page of the object that it belongs to.
        box: the id of its box.
        params: of the address, if they were already parsed.
        more: further context of templates/messages_app/payloads/_content.html.

    Raises:
        Problem: 400, with the parameter at fault.
    """
    is_part = "HX-Request" in request.headers
    context = {
        "view": opened.view,
        "viewer": Viewer(
            opened.source, opened.view, params or parse_view_params(request.GET), anchor=f"hit-{box}"
        ),
        "title": title,
        "owner": dict(zip(("title", "address"), owner, strict=True)),
        "box": box,
        "address": request.path,
        "is_part": is_part,
    }
    template = f"messages_app/payloads/{'_content' if is_part else 'content'}.html"
    return render(request, template, context | more)
