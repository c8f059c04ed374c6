"""Text, body and answer of the calls of a view, from the API description."""

from typing import TYPE_CHECKING, Any

from drf_spectacular.drainage import get_override
from rest_framework.fields import empty
from rest_framework.serializers import BaseSerializer, ListSerializer

if TYPE_CHECKING:  # REST framework loads this module by the settings while it is being imported.
    from rest_framework.views import APIView

_RESULTS = "results"
# By class of views.
_members: "dict[type[APIView], frozenset[str]]" = {}


def describe_call(view: "APIView", method: str) -> str:
    """Return the first paragraph of a call's text."""
    schema = _schema_of(view, method)
    text: str = (schema and schema.get_description()) or ""
    return " ".join(text.partition("\n\n")[0].split())


def body_of(view: "APIView", method: str) -> BaseSerializer[Any] | None:
    """Return the serializer of the body of a call, or None."""
    schema = _schema_of(view, method)
    body: BaseSerializer[Any] | None = _instance_of_serializer(schema and schema.get_request_serializer())
    return body


def members_of_answer(view: "APIView") -> frozenset[str]:
    """
    Return the names of the members of an object that a GET returns, or of the objects in the list that it
    returns; empty if the description does not name them.
    """
    kind = type(view)
    if kind not in _members:
        schema = _schema_of(view, "GET")
        _members[kind] = _members_of(schema.get_response_serializers()) if schema else frozenset()
    return _members[kind]


def _members_of(answers: object) -> frozenset[str]:
    answer = _instance_of_serializer(answers.get(200) if isinstance(answers, dict) else answers)
    if answer is not None and _RESULTS in getattr(answer, "fields", {}):
        answer = answer.fields[_RESULTS]
    if isinstance(answer, ListSerializer):
        answer = answer.child
    if answer is None or get_override(answer, "field"):
        return frozenset()
    return frozenset(getattr(answer, "fields", {}))


def _instance_of_serializer(serializer: object) -> Any:
    if serializer is None or serializer is empty:
        return None
    instance = serializer() if isinstance(serializer, type) else serializer
    return instance if isinstance(instance, BaseSerializer) else None


def _schema_of(view: "APIView", method: str) -> Any:
    """Return the schema of a call, or None if it is not in the API description."""
    schema_class = getattr(getattr(view, method.lower(), None), "kwargs", {}).get("schema")
    if schema_class is None:
        return None
    schema = schema_class()
    schema.view, schema.method = view, method
    return schema
