"""The base views of the API: permissions, strict parameters, and POSTs that act only once."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, cast
from urllib.parse import quote

from django.core.exceptions import PermissionDenied as DjangosPermissionDenied
from django.db import transaction
from django.http import HttpResponse, HttpResponseNotModified
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from messages_app.access import roles
from messages_app.access.actors import actor_of, user_of
from messages_app.access.authentication import record_refused_use
from messages_app.access.described_calls import members_of_answer
from messages_app.access.idempotency import (
    HEADER,
    KEPT_REFUSALS,
    Answer,
    act_once,
    check_key,
    fingerprint_request,
)
from messages_app.access.models import ApiToken
from messages_app.access.permissions import (
    HasRight,
    problem_of_refusal,
    reach_of,
    refusal_of,
    wanted_scope,
)
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.core.chosen_fields import choose_fields, take_fields
from messages_app.core.etags import (
    IF_MATCH,
    IF_NONE_MATCH,
    Conditions,
    EntityTag,
    describe_mismatch,
    tag_of,
    unsupported_condition,
)
from messages_app.core.parameters import single_values
from messages_app.core.problems import (
    API_PREFIX,
    CONTENT_TYPE,
    Problem,
    problem_body,
    problem_response,
    request_id_of,
)

_READS = ("GET", "HEAD")
_REFUSALS = (PermissionDenied, DjangosPermissionDenied)


class ApiView(APIView):
    """
    The base of all views of the API.

    Attributes:
        rights: the permission of roles.py that each method requires.
        parameters: the query parameters that a GET reads, each at most once, into `self.values`; None: the
            view reads them, as for filters. Other methods have no query parameters.
        reveals: the methods whose answer has unmasked contents. A session also needs `view_payload` and a
            reason.
        moving: members that change without an action of a caller. If it is not None, answers have an entity
            tag, which ignores these members.
    """

    permission_classes = [HasRight]
    http_method_names = ["get", "head", "options", "post", "patch"]
    rights: Mapping[str, str] = {}
    parameters: frozenset[str] | None = frozenset()
    moving: frozenset[str] | None = None
    reveals: frozenset[str] = frozenset()
    # The members that a GET returns; None: all.
    chosen_fields: frozenset[str] | None = None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        # An unsupported method gets a 405, whatever else is wrong with the request.
        if request.method not in self.allowed_methods:
            self.http_method_not_allowed(request)
        if request.method in _READS and (members := members_of_answer(self)):
            self.chosen_fields = take_fields(request._request, members)
        known = self.parameters if request.method in _READS else frozenset()
        if known is not None:
            self.values = single_values(request.query_params, known)
        self.conditions = Conditions.of(request.headers)
        if self.conditions and not self.takes_conditions(request):
            raise unsupported_condition(IF_MATCH if self.conditions.if_match is not None else IF_NONE_MATCH)

    def takes_conditions(self, request: Request) -> bool:
        """Whether the call has an entity tag that `If-Match` and `If-None-Match` are compared with."""
        return self.moving is not None and request.method != "OPTIONS"

    def tag_of(self, body: Mapping[str, object]) -> EntityTag:
        return tag_of(body, moving=self.moving or frozenset())

    # The library's types only allow its own response class, but it accepts any response of Django, also one
    # without a body.
    def finalize_response(  # type: ignore[override]
        self, request: Request, response: HttpResponse, *args: object, **kwargs: object
    ) -> HttpResponse:
        """
        Add the entity tag to an answer to a GET, and leave out the body if the caller already has it, and the
        members that it did not choose. The tag is that of the whole object.
        """
        is_read = request.method in _READS and response.status_code == 200
        if is_read and isinstance(response, Response) and self.moving is not None:
            response = self._as_asked(request, response)
        if is_read and isinstance(response, Response) and self.chosen_fields is not None:
            response.data = choose_fields(response.data, self.chosen_fields)
        return super().finalize_response(request, cast(Response, response), *args, **kwargs)

    def _as_asked(self, request: Request, read: Response) -> HttpResponse:
        tag = self.tag_of(read.data)
        response: HttpResponse = read
        if self.conditions.is_another(tag):
            response = problem_response(describe_mismatch(tag), request._request)
        elif self.conditions.is_unchanged(tag):
            response = HttpResponseNotModified()
        response.headers["ETag"] = str(tag)
        return response

    def check_permissions(self, request: Request) -> None:
        super().check_permissions(request)
        if request.method not in self.reveals or request.auth is not None:
            return
        if not request.user.has_perm(roles.CAN_VIEW_PAYLOAD):
            self.permission_denied(request)

    def affected_names(self, request: Request, reach: frozenset[str]) -> Iterable[str | None]:
        """
        Return the names that a call affects, for a token that has the view's permission only for the names in
        `reach`.

        None represents an object without a name, or with a name that the caller did not give and must not
        learn. It is never in `reach`, so by default a view refuses such tokens.
        """
        return [None]

    def has_affected_names(self, method: str) -> bool:
        """Whether a token may have the permission for a method only for some names."""
        return type(self).affected_names is not ApiView.affected_names

    def reach(self, request: Request) -> frozenset[str] | None:
        """Return the names for which the caller's token has the view's permission; None: for all."""
        return reach_of(request.user, self.rights[request.method or ""])

    def permission_denied(
        self, request: Request, message: str | None = None, code: str | None = None
    ) -> NoReturn:
        """
        Record the refusal in the audit log before raising it (docs/contributing/spec/promises.md, I-54,
        S-56).
        """
        try:
            super().permission_denied(request, message=message, code=code)
        except PermissionDenied:
            self.record_refusal(request)
            raise

    def record_refusal(self, request: Request) -> None:
        """Record a refused GET only if the token lacks the scope."""
        if wanted_scope(request.user) and isinstance(request.auth, ApiToken):
            record_refused_use(request.auth, request, refusal_of(request))

    def handle_exception(self, error: Exception) -> HttpResponse:  # type: ignore[override]  # as above
        """Name the missing scope or reason in a 403 if it is the only cause."""
        if isinstance(error, _REFUSALS):
            error = problem_of_refusal(self.request.user) or error
        return super().handle_exception(error)


class ActingView(ApiView):
    """
    The base of views with methods that change something.

    A subclass sets `audited_as`, its action in the audit log, implements `act`, and answers each such method
    with `answer_once`. With an Idempotency-Key, `act` runs in one transaction with the record of its answer.

    Attributes:
        location: the address below /api/v1/ of the object that a 201 or 202 created, with members of its
            answer.
        gives_tagged: whether the answer 200 is the same as that of a GET of the object, so that it has the
            entity tag.
    """

    audited_as: str
    location = ""
    gives_tagged = True

    # `act` and `seen` get the variable parts of the address. Each view names its own.
    def act(self, request: Request, *args: Any, **kwargs: Any) -> Answer:
        raise NotImplementedError

    def answer_once(self, request: Request, **kwargs: str) -> HttpResponse:
        try:
            return self._make_response(request, self._find_answer(request, **kwargs))
        except DjangosPermissionDenied:  # The changes of `act` are rolled back here.
            self.permission_denied(request)

    def _find_answer(self, request: Request, **kwargs: str) -> Answer:
        key = request.headers.get(HEADER)
        body = request.data  # Read first, so that an unreadable body does not use up the key.
        if key is None:
            return self._act_if_as_seen(request, **kwargs)
        return act_once(
            user=user_of(request),
            key=check_key(key),
            request_sha256=fingerprint_request(request.method, request.path, body, self.conditions.headers),
            act=lambda: self._kept_answer(request, **kwargs),
            kept=lambda answer: self._with_body(answer, self.stored_body),
            restored=lambda answer: self._with_body(answer, lambda body: self.restore_body(body, request)),
        )

    def stored_body(self, body: dict[str, object]) -> dict[str, object]:
        """
        Return the part of a successful answer that is stored for a repeat. It must not include contents or
        tokens.
        """
        return body

    def restore_body(self, body: dict[str, object], request: Request) -> dict[str, object]:
        """Restore the complete body of a successful answer from the stored part."""
        return body

    def _with_body(self, answer: Answer, change: Callable[[dict[str, object]], dict[str, object]]) -> Answer:
        return answer if answer.status >= 400 else replace(answer, body=change(dict(answer.body)))

    def _kept_answer(self, request: Request, **kwargs: str) -> Answer:
        try:
            answer = self._act_if_as_seen(request, **kwargs)
        except Problem as problem:
            if problem.status not in KEPT_REFUSALS:
                raise
            body = problem_body(problem, request_id=request_id_of(request._request))
            answer = Answer(problem.status, body)
        return Answer(answer.status, json.loads(JSONRenderer().render(answer.body)))

    def locked_object(self, request: Request, *args: Any, **kwargs: Any) -> Mapping[str, object] | None:
        """
        Return the object of a call as its GET returns it, with its row locked until the transaction ends.

        Return None if the object does not exist yet. A view implements this if its calls accept `If-Match`.
        """
        raise NotImplementedError

    def takes_conditions(self, request: Request) -> bool:
        if request.method in SAFE_METHODS:
            return super().takes_conditions(request)
        return type(self).locked_object is not ActingView.locked_object

    def _act_if_as_seen(self, request: Request, **kwargs: str) -> Answer:
        """Run `act`. If the request has a condition, the condition is checked in the same transaction."""
        if not self.conditions:
            return self.act(request, **kwargs)
        with transaction.atomic():
            try:
                self._check_conditions(request, **kwargs)
                return self.act(request, **kwargs)
            except Problem as problem:  # Do not roll back: a service may have recorded its refusal.
                refused = problem
        raise refused

    def _check_conditions(self, request: Request, **kwargs: str) -> None:
        """
        Lock the object and check the conditions. Raises Problem: 412, the object is not as the caller saw it.
        """
        body = self.locked_object(request, **kwargs)
        tag = None if body is None else self.tag_of(body)
        if self.conditions.refuses(tag):
            audit.record_entry(
                actor=actor_of(request),
                action=self.audited_as,
                outcome=AuditEntry.Outcome.REFUSED,
                details={"refusal": "precondition_failed", "path": request.path[:200]},
            )
            raise describe_mismatch(tag)

    def _make_response(self, request: Request, answer: Answer) -> HttpResponse:
        response: HttpResponse
        if answer.status >= 400:
            response = HttpResponse(json.dumps(answer.body), status=answer.status, content_type=CONTENT_TYPE)
        else:
            response = Response(answer.body, status=answer.status)
        if answer.status in {201, 202}:
            address = f"{API_PREFIX}v1/{self.made_at(request, answer.body)}"
            response.headers["Location"] = request.build_absolute_uri(address)
        is_tagged = self.takes_conditions(request) and self.gives_tagged and request.method != "DELETE"
        if answer.status in {200, 201} and is_tagged:
            response.headers["ETag"] = str(self.tag_of(answer.body))
        if answer.is_repeat:
            response.headers["Idempotent-Replayed"] = "true"
        return response

    def made_at(self, request: Request, body: Mapping[str, object]) -> str:
        """Return the address below /api/v1/ of the created object. `body` is the answer."""
        names = {name: quote(str(value), safe="") for name, value in body.items()}
        return self.location.format_map(names)

    def record_refusal(self, request: Request) -> None:
        """Record every refused action."""
        if request.method in SAFE_METHODS:
            super().record_refusal(request)
            return
        audit.record_entry(
            actor=actor_of(request),
            action=self.audited_as,
            outcome=AuditEntry.Outcome.REFUSED,
            details=refusal_of(request),
        )


class ActionView(ActingView):
    """A POST that changes something. `post` exists only for its description."""

    def post(self, request: Request, **kwargs: str) -> HttpResponse:
        return self.answer_once(request, **kwargs)


def whole_list(rows: Iterable[object]) -> Response:
    """Return a list that is a single page, in the format of all lists."""
    return Response({"next": None, "previous": None, "results": rows})
