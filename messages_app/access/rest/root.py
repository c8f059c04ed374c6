"""The index of the API: the addresses at which one can begin."""

from collections.abc import Sequence

from django.urls import URLPattern
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from messages_app.access.api import ApiView
from messages_app.access.permissions import IsLoggedIn
from messages_app.web.api_schema import READING, answers


class RootSerializer(serializers.Serializer):
    version = serializers.CharField()
    addresses = serializers.DictField(child=serializers.URLField(), help_text="By their path below this one.")


class RootView(ApiView):
    """The index; `addresses` are the paths below it that take a GET and no id."""

    permission_classes = [IsLoggedIn]
    addresses: Sequence[str] = ()

    @extend_schema(operation_id="root_retrieve", responses=answers(200, RootSerializer, READING))
    def get(self, request: Request) -> Response:
        """List the addresses at which one can begin."""
        found = {path: request.build_absolute_uri(path) for path in self.addresses}
        return Response({"version": "1", "addresses": found})


def addresses_of(patterns: Sequence[URLPattern]) -> list[str]:
    """Return the paths that take a GET and no id."""
    return [str(each.pattern) for each in patterns if not each.pattern.converters and _takes_get(each)]


def _takes_get(pattern: URLPattern) -> bool:
    view = getattr(pattern.callback, "view_class", None)
    return view is None or hasattr(view, "get")
