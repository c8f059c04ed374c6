"""Headers of answers, and the server, in the API's description; drf-spectacular calls `describe`."""

from django.http import HttpRequest

_TEXT = {"schema": {"type": "string"}}
_HEADERS = {
    "RateLimit-Policy": {
        "description": "The limits of the caller: `q` requests in `w` seconds.",
        **_TEXT,
    },
    "RateLimit": {"description": "`r` requests are left for the next `t` seconds.", **_TEXT},
    "X-Request-ID": {"description": "Names the request in the log and in the audit.", **_TEXT},
    "Location": {
        "description": "The address of what was made.",
        "schema": {"type": "string", "format": "uri"},
    },
    "ETag": {"description": "For `If-Match` and `If-None-Match`.", **_TEXT},
    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer"}},
}
_ALWAYS = ("X-Request-ID", "RateLimit", "RateLimit-Policy")


def server_of(request: HttpRequest) -> str:
    """Return the address of the server that a request asked."""
    return request.build_absolute_uri("/").rstrip("/")


def describe(result: dict, generator: object, request: HttpRequest | None, public: bool) -> dict:
    """Add the server that was asked, and the headers of each answer."""
    result["servers"] = [{"url": server_of(request) if request else "/"}]
    result["components"]["headers"] = _HEADERS
    for calls in result["paths"].values():
        for call in calls.values():
            _describe(call)
    return result


def _describe(call: dict) -> None:
    taken = {each["name"] for each in call.get("parameters", [])}
    for status, answer in call["responses"].items():
        names = [*_ALWAYS, *_of_status(status, taken)]
        answer["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _of_status(status: str, taken: set[str]) -> list[str]:
    is_tagged = bool(taken & {"If-Match", "If-None-Match"})
    if status in {"201", "202"}:
        return ["Location"]
    if status in {"429", "503"}:
        return ["Retry-After"]
    return ["ETag"] if is_tagged and status in {"200", "304", "412"} else []
