"""The API description: how it shows the scope that a call requires."""

import re
from typing import Any, Literal

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from drf_spectacular.utils import OpenApiParameter
from rest_framework.serializers import Serializer

from messages_app.access.api import ApiView
from messages_app.access.authentication import TokenScheme
from messages_app.access.described_calls import members_of_answer
from messages_app.access.scopes import SCOPES, scope_of
from messages_app.core.api_examples import Description
from messages_app.core.chosen_fields import PARAMETER

# Whether a body is what a caller sends, or what it gets.
Direction = Literal["request", "response"]

# Lists of calls show only the beginning of a longer sentence.
_MAX_IN_SUMMARY = 110


class ScopedSchema(AutoSchema):
    """
    The library's schema, with the scope of each call, both as a sentence and for the token that requires it.
    """

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: ComponentRegistry
    ) -> Description | None:
        operation = super().get_operation(path, path_regex, path_prefix, method, registry)
        if operation is not None and (scope := self._scope_of_method()):
            sentence = f"Required scope of a token that has scopes: {self._describe_scope(scope)}."
            operation["description"] = f"{operation.get('description', '')}\n\n{sentence}".strip()
        return operation

    def get_override_parameters(self) -> list[OpenApiParameter | Serializer[Any] | type[Serializer[Any]]]:
        """Return the parameters of a call, with `fields` if it returns objects whose members are known."""
        parameters = super().get_override_parameters()
        has_members = self.method == "GET" and isinstance(self.view, ApiView)
        return [*parameters, PARAMETER] if has_members and members_of_answer(self.view) else parameters

    def get_summary(self) -> str | None:
        """Return the summary of a call in lists: the first sentence of its description."""
        first, _, _ = (self.get_description() or "").strip().partition("\n\n")
        sentence = re.split(r"(?<=\.)\s", " ".join(first.split()), maxsplit=1)[0].rstrip(".")
        if len(sentence) > _MAX_IN_SUMMARY:
            sentence = re.split(r"[;:,]\s", sentence, maxsplit=1)[0]
        return super().get_summary() or sentence or None

    def _get_request_body(self, direction: Direction = "request") -> Description | None:
        """Describe the body of a DELETE too, which has the reason. The library assumes that it has none."""
        serializer = self.get_request_serializer() if self.method == "DELETE" else None
        if not isinstance(serializer, type):
            body: Description | None = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
            return body
        schema = self.resolve_serializer(serializer(), direction).ref
        return {"content": {"application/json": {"schema": schema}}, "required": True}

    def get_auth(self) -> list[dict[str, list[str]]]:
        scope = self._scope_of_method()
        needed = {name: [scope] for name in TokenScheme.name} if scope else {}
        return [{name: needed.get(name, []) for name in each} for each in super().get_auth()]

    def _describe_scope(self, scope: str) -> str:
        """
        Return the required scope in words, with the scope for one name if the call can be limited to names.
        """
        kind = SCOPES[scope].confined_to
        is_confined = kind and isinstance(self.view, ApiView) and self.view.has_affected_names(self.method)
        return f"`{scope}`" + (f", or `{scope}:NAME` for each affected {kind}" if is_confined else "")

    def _scope_of_method(self) -> str:
        return scope_of(getattr(self.view, "rights", {}).get(self.method, ""))
