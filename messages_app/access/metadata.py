"""
Answers to OPTIONS: the formats of an address, and the calls that the caller has the permission for.

Source: docs/contributing/spec/interfaces.md, "Rules of the API".
"""

from typing import TYPE_CHECKING, Any

from rest_framework.metadata import SimpleMetadata
from rest_framework.request import Request

from messages_app.access.described_calls import body_of, describe_call
from messages_app.access.permissions import reach_of

if TYPE_CHECKING:  # REST framework loads this module by the settings while it is being imported.
    from rest_framework.views import APIView

_CHANGES = ("POST", "PUT", "PATCH", "DELETE")


class CallMetadata(SimpleMetadata):
    """
    The framework's format. `description` has the first paragraph of each permitted call, and `actions` the
    fields of the bodies. No statement is executed.
    """

    def determine_metadata(self, request: Request, view: "APIView") -> dict[str, Any]:
        permitted = [method for method in view.allowed_methods if _may_call(request, view, method)]
        return {
            "name": view.get_view_name(),
            "description": "\n".join(
                f"{method}: {text}" for method in permitted if (text := describe_call(view, method))
            ),
            "renders": [renderer.media_type for renderer in view.renderer_classes],
            "parses": [parser.media_type for parser in view.parser_classes],
            "actions": {
                method: self.get_serializer_info(body)
                for method in permitted
                if method in _CHANGES and (body := body_of(view, method)) is not None
            },
        }


def _may_call(request: Request, view: "APIView", method: str) -> bool:
    """Whether the caller has the permission of a method, for all names or only for some."""
    right = getattr(view, "rights", {}).get(method)
    return right is None or request.user.has_perm(right) or bool(reach_of(request.user, right))
