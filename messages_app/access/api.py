"""The views that every address of the API is built on: rights, strict parameters, POSTs that act once."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from messages_app.access.idempotency import HEADER, KEPT_REFUSALS, Answer, act_once, check_key, fingerprint
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
from messages_app.core.etags import (
    IF_MATCH,
    IF_NONE_MATCH,
    Conditions,
    EntityTag,
    mismatch,
    tag_of,
    unsupported,
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

_REFUSALS = (PermissionDenied, DjangosPermissionDenied)


class ApiView(APIView):
    """
    A view of the API.

    A subclass sets `rights` (method: permission of roles.py) and `parameters`, the query parameters that it
    reads, once each, into `self.values`. None leaves the parameters to the view, as filters need. What
    changes something reads none. `reveals` names the methods whose answer has contents in clear: a session
    also needs `view_payload` and a reason.

    Where `moving` is set, what it gives has an entity tag; `moving` names the members that change by
    themselves.
    """

    permission_classes = [HasRight]
    http_method_names = ["get", "head", "post", "patch"]
    rights: Mapping[str, str] = {}
    parameters: frozenset[str] | None = frozenset()
    moving: frozenset[str] | None = None
    reveals: frozenset[str] = frozenset()

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        # A method that the address does not take is answered 405, whatever it asks for.
        if request.method not in self.allowed_methods:
            return
        known = self.parameters if request.method in SAFE_METHODS else frozenset()
        if known is not None:
            self.values = single_values(request.query_params, known)
        self.conditions = Conditions.of(request.headers)
        if self.conditions and not self.takes_conditions(request):
            raise unsupported(IF_MATCH if self.conditions.if_match is not None else IF_NONE_MATCH)

    def takes_conditions(self, request: Request) -> bool:
        """Whether the call has an entity tag, with which `If-Match` and `If-None-Match` are compared."""
        return self.moving is not None

    def tag_of(self, body: Mapping[str, object]) -> EntityTag:
        return tag_of(body, moving=self.moving or frozenset())

    # The library's types know no answer but its own; it takes any of Django's, of which some have no body.
    def finalize_response(  # type: ignore[override]
        self, request: Request, response: HttpResponse, *args: object, **kwargs: object
    ) -> HttpResponse:
        """Tell the entity tag of what is read, and leave out what the caller has already."""
        is_read = self.moving is not None and request.method in SAFE_METHODS and response.status_code == 200
        if is_read and isinstance(response, Response):
            response = self._as_asked(request, response)
        return super().finalize_response(request, cast(Response, response), *args, **kwargs)

    def _as_asked(self, request: Request, read: Response) -> HttpResponse:
        tag = self.tag_of(read.data)
        response: HttpResponse = read
        if self.conditions.is_another(tag):
            response = problem_response(mismatch(tag), request._request)
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

    def touched(self, request: Request, reach: frozenset[str]) -> Iterable[str | None]:
        """
        Return the names that a call touches, for a token that has the view's right for those of `reach`.

        None represents what has no name, or one that the caller did not say and must not hear. It is outside,
        as is every call of a view that says nothing.
        """
        return [None]

    def reach(self, request: Request) -> frozenset[str] | None:
        """Return the names to which the caller's token confines the view's right; None: it does not."""
        return reach_of(request.user, self.rights[request.method or ""])

    def permission_denied(
        self, request: Request, message: str | None = None, code: str | None = None
    ) -> NoReturn:
        """Remember what was refused before refusing it (docs/spec/promises.md, I-54, S-56)."""
        try:
            super().permission_denied(request, message=message, code=code)
        except PermissionDenied:
            self.record_refusal(request)
            raise

    def record_refusal(self, request: Request) -> None:
        """Of what was only to be read, remember a token that has not the scope."""
        if wanted_scope(request.user) and isinstance(request.auth, ApiToken):
            record_refused_use(request.auth, request, refusal_of(request))

    def handle_exception(self, error: Exception) -> HttpResponse:  # type: ignore[override]  # as above
        """Name the missing scope or reason in every refusal for which only that was missing."""
        if isinstance(error, _REFUSALS):
            error = problem_of_refusal(self.request.user) or error
        return super().handle_exception(error)


class ActingView(ApiView):
    """
    A view with methods that change something.

    A subclass sets `audited_as`, the audit's name for it, writes `act`, and answers each such method with
    `answer_once`. With an Idempotency-Key `act` runs in one transaction with the record of its answer.

    Attributes:
        location: the address below /api/v1/ of what a 201 or a 202 has made, with members of its answer.
        gives_tagged: whether a 200 is what the GET of the thing gives, and has its tag.
    """

    audited_as: str
    location = ""
    gives_tagged = True

    # What an address has beside the request, its view names: the same parts in `act` and in `seen`.
    def act(self, request: Request, *args: Any, **kwargs: Any) -> Answer:
        raise NotImplementedError

    def answer_once(self, request: Request, **kwargs: str) -> HttpResponse:
        try:
            return self._response(request, self._answer(request, **kwargs))
        except DjangosPermissionDenied:  # now what `act` did is undone
            self.permission_denied(request)

    def _answer(self, request: Request, **kwargs: str) -> Answer:
        key = request.headers.get(HEADER)
        body = request.data  # read first: a body that cannot be read uses no key
        if key is None:
            return self._act_if_as_seen(request, **kwargs)
        return act_once(
            user=user_of(request),
            key=check_key(key),
            request_sha256=fingerprint(request.method, request.path, body, self.conditions.headers),
            act=lambda: self._kept_answer(request, **kwargs),
            kept=lambda answer: self._with_body(answer, self.kept),
            restored=lambda answer: self._with_body(answer, lambda body: self.restored(body, request)),
        )

    def kept(self, body: dict[str, object]) -> dict[str, object]:
        """Return what is stored of a success for its repeat. No content and no token may be part of it."""
        return body

    def restored(self, body: dict[str, object], request: Request) -> dict[str, object]:
        """Return the whole body of a success again from what `kept` left."""
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

    def seen(self, request: Request, *args: Any, **kwargs: Any) -> Mapping[str, object] | None:
        """
        Return what a call is about as its GET gives it, its row locked until the transaction ends.

        None: there is no such thing yet. A view whose calls take `If-Match` has one.
        """
        raise NotImplementedError

    def takes_conditions(self, request: Request) -> bool:
        if request.method in SAFE_METHODS:
            return super().takes_conditions(request)
        return type(self).seen is not ActingView.seen

    def _act_if_as_seen(self, request: Request, **kwargs: str) -> Answer:
        """Act; where the request has a condition, in the transaction in which the condition holds."""
        if not self.conditions:
            return self.act(request, **kwargs)
        with transaction.atomic():
            try:
                self._check_conditions(request, **kwargs)
                return self.act(request, **kwargs)
            except Problem as problem:  # what a service has remembered of its refusal stays
                refused = problem
        raise refused

    def _check_conditions(self, request: Request, **kwargs: str) -> None:
        """Lock the thing and compare. Raises Problem: 412, it is another than the caller saw."""
        body = self.seen(request, **kwargs)
        tag = None if body is None else self.tag_of(body)
        if self.conditions.refuses(tag):
            audit.record(
                actor=actor_of(request),
                action=self.audited_as,
                outcome=AuditEntry.Outcome.REFUSED,
                details={"refusal": "precondition_failed", "path": request.path[:200]},
            )
            raise mismatch(tag)

    def _response(self, request: Request, answer: Answer) -> HttpResponse:
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
        """Return the address below /api/v1/ of what was made; `body` is the answer."""
        names = {name: quote(str(value), safe="") for name, value in body.items()}
        return self.location.format_map(names)

    def record_refusal(self, request: Request) -> None:
        """Remember every action that was refused."""
        if request.method in SAFE_METHODS:
            super().record_refusal(request)
            return
        audit.record(
            actor=actor_of(request),
            action=self.audited_as,
            outcome=AuditEntry.Outcome.REFUSED,
            details=refusal_of(request),
        )


class ActionView(ActingView):
    """A POST that changes something; `post` is there for its description alone."""

    def post(self, request: Request, **kwargs: str) -> HttpResponse:
        return self.answer_once(request, **kwargs)


def whole_list(rows: Sequence[object]) -> Response:
    """Answer a list that is one page, in the shape of all lists."""
    return Response({"next": None, "previous": None, "results": rows})
