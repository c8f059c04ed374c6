"""
Declared calls of the API: one declaration has the address, permission, body, answer and function of a call.

`make_routes` makes addresses, views and the API description from declarations. Reads are in `reads.py`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache
from inspect import Parameter, signature
from typing import Any
from urllib.parse import quote

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, URLPattern, path, resolve
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from messages_app.access.actors import actor_of, user_of
from messages_app.access.api import ApiView
from messages_app.access.idempotency import (
    HEADER,
    KEPT_REFUSALS,
    Answer,
    act_once,
    check_key,
    fingerprint_request,
)
from messages_app.access.permissions import refusal_of
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.api_schema import ACTING, ACTING_ON_ONE, IDEMPOTENCY, IF_MATCH, describe_answers
from messages_app.core.etags import Tag, describe_mismatch, tag_of
from messages_app.core.problems import API_PREFIX, CONTENT_TYPE, Problem, problem_body, request_id_of
from messages_app.core.representation import represent_value, validate_value

Serializer = type[BaseSerializer[Any]]


@dataclass(frozen=True)
class Call:
    """
    A call of the API. Its functions get the arguments that their parameters name (CallView.run_function).

    Attributes:
        service: does the work. It returns the object for `answer`, or a whole Answer or response.
        right: the permission of roles.py that the call requires.
        body, answer: the serializers of the body and of the answer.
        statuses: the statuses of successful answers, the usual one first.
        problems: the statuses of errors, if they are not those of most such calls.
        key: reads the part of the address that names an object. Raises Problem: 404.
        name: the name that OPTIONS shows, by default from the path.
        may_call: a further condition, which is checked before the body is read.
        why_not: returns why `may_call` refused, if no missing permission is the reason; else empty.
        errors: the context manager that converts errors of the service to problems.
        view: the class of the view. All calls of an address have the same.
    """

    path: str
    service: Callable[..., Any]
    _: KW_ONLY
    right: str
    answer: Any
    description: str
    method: str = "GET"
    name: str = ""
    operation_id: str | None = None
    body: Serializer | None = None
    statuses: tuple[int, ...] = (200,)
    problems: tuple[int, ...] = ()
    key: Callable[[str], object] = str
    may_call: Callable[..., bool] | None = None
    why_not: Callable[..., str] | None = None
    errors: Callable[[], AbstractContextManager[None]] = nullcontext
    tag: Tag | None = None
    view: "type[CallView] | None" = None

    def may_have_conditions(self) -> bool:
        """Whether `If-Match` and `If-None-Match` are compared with the tag of the object."""
        return self.tag is not None

    def describe_call(self) -> Callable[[Any], Any]:
        """Return the decorator that adds the call to the API description."""
        status, *others = self.statuses
        described = describe_answers(status, self.describe_answer(), self.problems or self.usual_problems())
        return extend_schema(
            operation_id=self.operation_id,
            description=self.description,
            request=self.body,
            parameters=self.describe_parameters(),
            responses={**described, **dict.fromkeys(others, self.answer)},
        )

    def describe_answer(self) -> Any:
        return self.answer

    def describe_parameters(self) -> list[OpenApiParameter]:
        raise NotImplementedError

    def usual_problems(self) -> tuple[int, ...]:
        raise NotImplementedError

    def query_names(self) -> frozenset[str] | None:
        """Return the names of query parameters, each of which may be given once; None: the call checks."""
        return frozenset()

    def answer_request(self, view: "CallView") -> HttpResponseBase:
        """Answer the request of a view."""
        raise NotImplementedError


@dataclass(frozen=True)
class Action(Call):
    """
    A call that changes something. With an Idempotency-Key it acts once, in one transaction with the record of
    its answer.

    Attributes:
        audited_as: the action in the audit log.
        affects: returns the names that a call affects, for a token that has the permission only for some
            names. None for an object without a name, or with a name that the caller must not learn.
            Without this function such tokens are refused. Source: docs/contributing/spec/promises.md, S-56.
        location: the address below /api/v1/ of the object that a 201 or 202 created, with members of the
            body and of the answer.
        gives_tag: whether an answer 200 is that of a GET of the object, so that it has the entity tag.
        keeps_answer: whether a repeat gets the stored answer. If not, the key is only checked.
    """

    _: KW_ONLY
    body: Serializer
    audited_as: str
    method: str = "POST"
    affects: Callable[..., Iterable[str | None]] | None = None
    location: str = ""
    gives_tag: bool = True
    keeps_answer: bool = True

    def may_have_conditions(self) -> bool:
        return self.tag is not None and self.tag.lock is not None

    def describe_parameters(self) -> list[OpenApiParameter]:
        return [IDEMPOTENCY, *([IF_MATCH] if self.may_have_conditions() else [])]

    def usual_problems(self) -> tuple[int, ...]:
        return ACTING_ON_ONE if "<" in self.path else ACTING

    def answer_request(self, view: "CallView") -> HttpResponseBase:
        return view.answer_once(self)


def make_routes(calls: Iterable[Call]) -> list[URLPattern]:
    """Return a route for each address of some calls, in the order of their first calls."""
    by_path: dict[str, list[Call]] = {}
    for call in calls:
        by_path.setdefault(call.path, []).append(call)
    return [path(address, _make_view(own).as_view()) for address, own in by_path.items()]


def _make_view(calls: list[Call]) -> "type[CallView]":
    """Return the class of the view of one address."""
    first, base = calls[0], calls[0].view or CallView
    name = first.name or re.sub(r"<[^>]*>/", "", first.path).strip("/").rpartition("/")[2].replace("-", " ")
    methods = {call.method: call for call in calls}
    attributes = {
        "calls": methods,
        "rights": {method: call.right for method, call in methods.items()},
        "parameters": methods["GET"].query_names() if "GET" in methods else frozenset(),
        **{method.lower(): call.describe_call()(_make_handler()) for method, call in methods.items()},
    }
    return type(f"{name.title().replace(' ', '')}View", (base,), attributes)


def _make_handler() -> Callable[..., HttpResponseBase]:
    """Return a method of a view. Each has its own description, which is an attribute of the function."""

    def answer_request(view: CallView, request: Request, **_: str) -> HttpResponseBase:
        return view.answer_call(request)

    return answer_request


@cache
def _parameters_of(function: Callable[..., Any]) -> tuple[frozenset[str], bool]:
    """Return the names of a function's parameters, and whether it also takes any others."""
    parameters = signature(function).parameters.values()
    others = {each.name for each in parameters if each.kind is Parameter.VAR_KEYWORD}
    return frozenset(each.name for each in parameters) - others, bool(others)


class CallView(ApiView):
    """The view of the calls of one address. `make_routes` makes a subclass for each address."""

    calls: Mapping[str, Call] = {}
    # Functions of a call can ask for these too. `reach` has the names that a token is confined to, or None;
    # `values` has the query parameters of a GET.
    facts: Mapping[str, Callable[["CallView"], object]] = {
        "request": lambda view: view.request,
        "user": lambda view: view.request.user,
        "actor": lambda view: actor_of(view.request),
        "reach": lambda view: view.reach_of_caller(view.request),
        "values": lambda view: view.values,
        "chosen_fields": lambda view: view.chosen_fields,
    }

    def call_of(self, request: Request) -> Call | None:
        """Return the requested call; None for OPTIONS and methods that the address does not support."""
        return self.calls.get("GET" if request.method == "HEAD" else request.method or "")

    def run_function(self, function: Callable[..., Any], values: Mapping[str, object]) -> Any:
        """
        Call a function with the arguments that its parameters name: `values` (all of them for `**`), which
        are the part of the address and the members of the body, and `facts`.
        """
        names, takes_others = _parameters_of(function)
        facts = {name: self.facts[name](self) for name in names & self.facts.keys() - values.keys()}
        return function(**facts, **{name: values[name] for name in values if takes_others or name in names})

    def read_key(self, call: Call) -> dict[str, object]:
        """Read the part of the address that names an object. Raises Problem: 404."""
        return {name: call.key(text) for name, text in self.kwargs.items()}

    def read_values(self, call: Action) -> dict[str, object]:
        """Return the members of the body and the part of the address. Raises ValidationError or Problem."""
        return {**validate_value(call.body, self.request.data), **self.read_key(call)}

    def may_have_conditions(self, request: Request) -> bool:
        call = self.call_of(request)
        return call is not None and call.may_have_conditions()

    def has_affected_names(self, method: str) -> bool:
        call = self.calls[method]
        return isinstance(call, Action) and call.affects is not None

    def check_permissions(self, request: Request) -> None:
        """Check the further condition of the call too, before the request has any effect."""
        super().check_permissions(request)
        call = self.call_of(request)
        if call and call.may_call and not self.run_function(call.may_call, self.kwargs):
            why_not = self.run_function(call.why_not, self.kwargs) if call.why_not else ""
            self.permission_denied(request, message=why_not or None)

    def affected_names(self, request: Request, reach: frozenset[str]) -> Iterable[str | None]:
        call = self.call_of(request)
        if not isinstance(call, Action) or call.affects is None:
            return super().affected_names(request, reach)
        with call.errors():
            return list(self.run_function(call.affects, self.read_values(call) | {"reach": reach}))

    def record_refusal(self, request: Request) -> None:
        """Record every refused action."""
        call = self.call_of(request)
        if not isinstance(call, Action):
            super().record_refusal(request)
            return
        self._record_details(call, refusal_of(request))

    def _record_details(self, call: Action, details: Mapping[str, object]) -> None:
        audit.record_entry(
            actor=actor_of(self.request),
            action=call.audited_as,
            outcome=AuditEntry.Outcome.REFUSED,
            details=details,
        )

    def answer_call(self, request: Request) -> HttpResponseBase:
        """Answer a request to a declared call."""
        call = self.calls["GET" if request.method == "HEAD" else request.method or ""]
        try:
            return call.answer_request(self)
        except PermissionDenied:  # The changes of an action are rolled back here.
            self.permission_denied(request)
        except (APIException, Problem) as error:
            status = error.status if isinstance(error, Problem) else error.status_code
            if isinstance(call, Action) and status == 400:  # its body cannot be used
                self._check_address()
            raise

    def _check_address(self) -> None:
        """
        Read the object of the address as its GET does. Raises Problem: 404, it does not exist.

        A wrong address is reported before a wrong body. Only a wrong body costs this check.
        """
        match = self.request._request.resolver_match
        if match is None or not self.kwargs:
            return
        before, _, _ = match.route.partition("<")
        with suppress(Resolver404):
            # Any id leads to the view. That of the request may be a word of another address, such as "count".
            view_class: Any = getattr(resolve(f"/{before}0/").func, "view_class", ApiView)
            reads: Mapping[str, Call] = view_class.calls if issubclass(view_class, CallView) else {}
            if call := reads.get("GET"):
                view = view_class(request=self.request, kwargs=self.kwargs, values={})
                with call.errors():
                    view.run_function(call.service, view.read_key(call))

    def answer_once(self, call: Action) -> HttpResponse:
        """Answer an action. With an Idempotency-Key, act and record the answer in one transaction."""
        key = self.request.headers.get(HEADER)
        body = self.request.data  # Read first, so that an unreadable body does not use up the key.
        if key is not None:
            check_key(key)
        if key is None or not call.keeps_answer:
            return self._make_response(call, self._act_if_as_seen(call))
        answer = act_once(
            user=user_of(self.request),
            key=key,
            request_sha256=fingerprint_request(
                self.request.method, self.request.path, body, self.conditions.headers
            ),
            act=lambda: self._kept_answer(call),
            reduce=lambda answer: _change_body(answer, self.stored_body),
            complete=lambda answer: _change_body(answer, self.restore_body),
        )
        return self._make_response(call, answer)

    def stored_body(self, body: dict[str, Any]) -> dict[str, object]:
        """
        Return the part of a successful answer that is stored for a repeat. It must not include contents or
        tokens.
        """
        return body

    def restore_body(self, body: dict[str, Any]) -> dict[str, object]:
        """Restore the complete body of a successful answer from the stored part."""
        return body

    def _kept_answer(self, call: Action) -> Answer:
        try:
            answer = self._act_if_as_seen(call)
        except Problem as problem:
            if problem.status not in KEPT_REFUSALS:
                raise
            body = problem_body(problem, request_id=request_id_of(self.request._request))
            answer = Answer(problem.status, body)
        return Answer(answer.status, json.loads(JSONRenderer().render(answer.body)))

    def _act_if_as_seen(self, call: Action) -> Answer:
        """Act. If the request has a condition, it is checked in the same transaction."""
        if not self.conditions:
            return self._run_service(call)
        with transaction.atomic():
            try:
                self._check_conditions(call)
                return self._run_service(call)
            except Problem as problem:  # Do not roll back: a service may have recorded its refusal.
                refused = problem
        raise refused

    def _run_service(self, call: Action) -> Answer:
        with call.errors():
            result = self.run_function(call.service, self.read_values(call))
        if isinstance(result, Answer):
            return result
        return Answer(call.statuses[0], represent_value(call.answer, result))

    def _check_conditions(self, call: Action) -> None:
        """
        Lock the object and check the conditions. Raises Problem: 412, the object is not as the caller saw it.
        """
        if call.tag is None or call.tag.lock is None:
            return
        with call.errors():
            body = self.run_function(call.tag.lock, self.read_key(call))
        tag = None if body is None else tag_of(body, moving=call.tag.moving)
        if self.conditions.has_mismatch(tag):
            details = {"refusal": "precondition_failed", "path": self.request.path[:200]}
            self._record_details(call, details)
            raise describe_mismatch(tag)

    def _make_response(self, call: Action, answer: Answer) -> HttpResponse:
        response: HttpResponse
        if answer.status >= 400:
            response = HttpResponse(json.dumps(answer.body), status=answer.status, content_type=CONTENT_TYPE)
        else:
            response = Response(answer.body, status=answer.status)
        if answer.status in {201, 202}:
            members = {**self.request.data, **answer.body}
            made = re.sub(r"{(\w+)}", lambda name: quote(str(members[name[1]]), safe=""), call.location)
            response.headers["Location"] = self.request.build_absolute_uri(f"{API_PREFIX}v1/{made}")
        is_tagged = call.may_have_conditions() and call.gives_tag and call.method != "DELETE"
        if call.tag and is_tagged and answer.status in {200, 201}:
            response.headers["ETag"] = str(tag_of(answer.body, moving=call.tag.moving))
        if answer.is_repeat:
            response.headers["Idempotent-Replayed"] = "true"
        return response


def _change_body(answer: Answer, change: Callable[[dict[str, Any]], dict[str, object]]) -> Answer:
    return answer if answer.status >= 400 else replace(answer, body=change(dict(answer.body)))
