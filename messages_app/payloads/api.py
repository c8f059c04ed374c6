"""The fields of a content in the API. Source: docs/contributing/spec/interfaces.md, "Messages"."""

from codecs import getincrementaldecoder
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from messages_app.core.representation import represent_value
from messages_app.payloads.loader import Opened, Source, read_pieces
from messages_app.shared.xml_parsing import CHECKED_BYTES

WHY_MASKED = "Values are masked: the permission view_payload is missing or, in a session, a reason."


class ContentSerializer(serializers.Serializer):
    content = serializers.CharField(allow_null=True, help_text="null: nothing stored, or completely hidden.")
    content_type = serializers.CharField(allow_null=True)
    bytes = serializers.IntegerField(help_text="Size of the stored text in UTF-8 bytes.")
    masked = serializers.BooleanField(help_text=WHY_MASKED)


class TextChanged(Exception):
    """A text was deleted or moved while it was sent."""


def content_answer(
    opened: Opened, *, before: Mapping[str, Any] | None = None, only: Collection[str] | None = None
) -> HttpResponseBase:
    """
    Return the fields of a content as JSON, with other members before them. `only` are the members to return;
    None: all.

    A large text is sent in pieces, because as a whole it would take several times its size. If it is deleted
    meanwhile, the connection is closed, and what was sent is not valid JSON.
    """
    first, content = dict(before or {}), represent_value(ContentSerializer, opened.view)
    if only is not None:
        first, content = ({name: part[name] for name in part if name in only} for part in (first, content))
    if opened.source.size <= CHECKED_BYTES or "content" not in content:
        return Response(first | content)
    first["content"] = ""
    last = {name: value for name, value in content.items() if name != "content"}
    return StreamingHttpResponse(_json_pieces(first, opened.source, last), content_type="application/json")


def _json_pieces(first: Mapping[str, Any], source: Source, last: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield an object whose last member of `first` has the text of the source as its value."""
    renderer, decoder, length = JSONRenderer(), getincrementaldecoder("utf-8")(), 0
    yield renderer.render(first).removesuffix(b'"}')
    for piece in read_pieces(source):
        length += len(piece)
        yield renderer.render(decoder.decode(piece))[1:-1]
    if length != source.size:
        raise TextChanged(f"{length} of {source.size} bytes were sent.")
    yield (b'",' + renderer.render(last)[1:]) if last else b'"}'
