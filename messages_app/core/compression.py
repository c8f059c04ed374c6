"""
Compressed answers of the API.

Source: docs/contributing/spec/interfaces.md, "Rules of the API".
"""

import re

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from messages_app.core.problems import is_of_api

_REFUSES_GZIP = re.compile(r"\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)", re.IGNORECASE)


class AnswerGzipMiddleware(GZipMiddleware):
    """
    Compresses answers to calls with a token.

    The size of a compressed page would reveal secrets of the page, such as its CSRF token, to another site
    that makes the browser send requests with its own text (BREACH). Browsers never add a token to a request.

    Files of exports are not compressed: a large one would occupy a web process for minutes.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_for_token = is_of_api(request.path_info) and getattr(request, "has_token", False)
        if not is_for_token or not isinstance(response, HttpResponse):
            return response
        if _REFUSES_GZIP.search(request.headers.get("Accept-Encoding", "")):
            return response
        tag = response.headers.get("ETag")
        answer = super().process_response(request, response)
        if tag is not None:
            # It names the state of the object, in every encoding, and `If-Match` takes no weak tag.
            answer.headers["ETag"] = tag
        return answer
