"""Every declared call of the API fits its service (messages_app/access/calls.py)."""

from collections.abc import Callable, Iterator
from inspect import Parameter, signature

import pytest

from messages_app.access.calls import Action, Call, CallView
from tests.support.routes import api_views

# Parameters that the CP queue accepts only for the vendor's clients.
UNUSED = {
    "cp-queue/rendition-changed/": {"ServiceName"},
    "cp-queue/object-info/": {"ObjectType"},
    "cp-queue/object-full-text/": {"ObjectType"},
    "cp-queue/create-messages/": {
        "CreateFulltextIdxMessages",
        "CreateFulltextFilterMessages",
        "CreateRenditionMessages",
    },
}
OF_ALL_CP_CALLS = {"Flags", "OutputUnicode"}


def declared_calls() -> Iterator[tuple[str, Call]]:
    for route, view in api_views():
        if issubclass(view, CallView):
            yield from ((route.removeprefix("api/v1/"), call) for call in view.calls.values())


def parameters_of(function: Callable[..., object]) -> dict[str, Parameter]:
    return dict(signature(function).parameters)


def takes_any(function: Callable[..., object]) -> bool:
    return any(each.kind is Parameter.VAR_KEYWORD for each in parameters_of(function).values())


def members_of(call: Action) -> set[str]:
    return {field.source for field in call.body().fields.values()}


ACTIONS = [(path, call) for path, call in declared_calls() if isinstance(call, Action)]


@pytest.mark.parametrize(("path", "call"), ACTIONS, ids=[f"{call.method} {path}" for path, call in ACTIONS])
class TestAction:
    def test_passes_each_member_of_its_body_to_its_service(self, path, call):
        if takes_any(call.service):
            return
        unused = UNUSED.get(path, set()) | (OF_ALL_CP_CALLS if path.startswith("cp-queue/") else set())
        if path == "message-store/":
            unused = members_of(call)  # Its body is read as a whole, by services/intake.py.
        assert members_of(call) - parameters_of(call.service).keys() == unused & members_of(call)

    def test_can_give_its_functions_what_they_require(self, path, call):
        known = members_of(call) | CallView.facts.keys() | {"message"}
        known |= {part.partition(":")[2].rstrip(">") for part in path.split("/") if part.startswith("<")}
        for function in (call.service, call.affects, call.may_call, call.tag and call.tag.lock):
            for name, parameter in parameters_of(function).items() if function else ():
                is_required = parameter.default is Parameter.empty
                if is_required and parameter.kind is not Parameter.VAR_KEYWORD:
                    assert name in known, (path, function.__name__, name)

    def test_names_its_action_of_the_audit_log(self, path, call):
        assert call.audited_as


class TestRoutes:
    def test_declare_every_call_that_changes_something(self):
        changing = {"POST", "PATCH", "DELETE"}
        others = [
            route
            for route, view in api_views()
            if changing & {name.upper() for name in view.http_method_names if hasattr(view, name)}
            and not issubclass(view, CallView)
        ]
        assert others == []
        assert len(ACTIONS) > 45
