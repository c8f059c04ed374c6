"""
The name of each call in the Python client, such as messages.restart. The API description has it, and the
client is generated from the description.
"""

from collections.abc import Mapping

from messages_app.core.api_examples import Description

# The member of a call in the API description that has its name. A call whose answer is a file has none.
CLIENT_NAME = "x-client-name"
_PREFIX = "/api/v1/"
_VERBS = {"post": "create", "patch": "update", "delete": "delete"}


def name_calls(result: Description, generator: object, request: object, public: bool) -> Description:
    """Add the names to a description. drf-spectacular calls this."""
    paths = result["paths"]
    for address, calls in paths.items():
        for method, call in calls.items():
            if _has_answer(call):
                group = _to_name(call["tags"][0])
                call[CLIENT_NAME] = f"{group}.{_name_call(address.removeprefix(_PREFIX), method, paths)}"
    return result


def _name_call(path: str, method: str, paths: Mapping[str, Description]) -> str:
    """
    Return the name of the method, below the group of the path's first part.

    A path with entries has list, get, create, update and delete; below another one with its name, such as
    list_triggers, get_trigger, create_trigger. Other calls have their own names: restart, resume_trigger.
    """
    parts = path.strip("/").split("/")[1:]
    words = [_to_name(part) for part in parts if not part.startswith("{")]
    is_entry = bool(parts) and parts[-1].startswith("{")
    has_entries = any(other.startswith(f"{_PREFIX}{path}{{") for other in paths)
    methods = paths[_PREFIX + path]
    if method in _VERBS and method != "post":
        verb = _VERBS[method]
    elif method == "get":
        verb = "list" if has_entries or is_page(methods["get"]) else "get"
    else:
        verb = "create"
    if not words:
        return verb
    if is_entry:
        return "_".join([verb, *words[:-1], _to_singular(words[-1])])
    if has_entries or (len(methods) > 1 and is_page(methods.get("get", {}))):
        return "_".join([verb, *words] if verb == "list" else [verb, *words[:-1], _to_singular(words[-1])])
    if len(words) > 1:
        *of, action = words
        of = [_to_singular(word) for word in of] if parts[-2].startswith("{") else of
        return "_".join([*of, action] if method == "get" else [action, *of])
    return f"get_{words[0]}" if method == "get" and len(methods) > 1 else words[0]


def is_page(call: Description) -> bool:
    """Whether the answer of a call is a page of a list, whose other pages the client follows."""
    return any(str(schema.get("$ref", "")).endswith("Page") for schema in _list_answers(call))


def _has_answer(call: Description) -> bool:
    return bool(_list_answers(call))


def _list_answers(call: Description) -> list[Description]:
    """Return the schemas of the successful answers in JSON."""
    return [
        content["schema"]
        for status, answer in call.get("responses", {}).items()
        for media, content in answer.get("content", {}).items()
        if status.startswith("2") and media == "application/json"
    ]


def _to_name(name: str) -> str:
    return name.replace("-", "_")


def _to_singular(name: str) -> str:
    return name.removesuffix("s")
