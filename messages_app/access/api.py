"""The views that every address of the API is built on: rights, strict parameters, POSTs that act once."""

import json
from collections.abc import Iterable, Mapping

from django.core.exceptions import PermissionDenied as DjangosPermissionDenied
from django.http import HttpResponse
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from messages_app.access.actors import actor_of
from messages_app.access.authentication import record_refused_use
from messages_app.access.idempotency import HEADER, KEPT_REFUSALS, Answer, act_once, check_key, fingerprint
from messages_app.access.permissions import (
    HasRight,
    problem_of_refusal,
    reach_of,
    refusal_of,
    wanted_scope,
)
from messages_app.audit import services as audit
from messages_app.audit.models import AuditEntry
from messages_app.web.parameters import single_values
from messages_app.web.problems import CONTENT_TYPE, Problem, problem_body

_REFUSALS = (PermissionDenied, DjangosPermissionDenied)


class ApiView(APIView):
    """
    A view of the API.

    A subclass sets `rights` (method: permission of roles.py) and `parameters`, the query parameters that it
    reads, once each, into `self.values`. None leaves the parameters to the view, as filters need.
    """

    permission_classes = [HasRight]
    http_method_names = ["get", "head", "post", "patch"]
    rights: Mapping[str, str] = {}
    parameters: frozenset[str] | None = frozenset()

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        # A method that the address does not take is answered 405, whatever it asks for.
        if self.parameters is not None and request.method in self.allowed_methods:
            self.values = single_values(request.query_params, self.parameters)

    def touched(self, request: Request, reach: frozenset[str]) -> Iterable[str | None]:
        """
        Return the names that a call touches, for a token that has the view's right for those of `reach`.

        None stands for what has no name, or one that the caller did not say and must not hear. It is outside,
        as is every call of a view that says nothing.
        """
        return [None]

    def reach(self, request: Request) -> frozenset[str] | None:
        """Return the names to which the caller's token confines the view's right; None: it does not."""
        return reach_of(request.user, self.rights[request.method])

    def permission_denied(
        self, request: Request, message: str | None = None, code: str | None = None
    ) -> None:
        """Remember what was refused before refusing it (reliability I-54, S-56)."""
        try:
            super().permission_denied(request, message=message, code=code)
        except PermissionDenied:
            self.record_refusal(request)
            raise

    def record_refusal(self, request: Request) -> None:
        """Of what was only to be read, remember a token that has not the scope."""
        if wanted_scope(request.user):
            record_refused_use(request.auth, request, refusal_of(request))

    def handle_exception(self, error: Exception) -> HttpResponse:
        """Name the scope or the reason where only that was missing, whoever refused."""
        if isinstance(error, _REFUSALS):
            error = problem_of_refusal(self.request.user) or error
        return super().handle_exception(error)


class ActingView(ApiView):
    """
    A view with methods that change something.

    A subclass sets `audited_as`, the audit's name for it, writes `act`, and answers each such method with
    `answer_once`. With an Idempotency-Key `act` runs in one transaction with the record of its answer.
    """

    audited_as: str

    def act(self, request: Request, **kwargs: str) -> Answer:
        raise NotImplementedError

    def answer_once(self, request: Request, **kwargs: str) -> HttpResponse:
        try:
            return _response(self._answer(request, **kwargs))
        except DjangosPermissionDenied:  # by now what `act` did is undone
            self.permission_denied(request)

    def _answer(self, request: Request, **kwargs: str) -> Answer:
        key = request.headers.get(HEADER)
        body = request.data  # read first: a body that cannot be read uses no key
        if key is None:
            return self.act(request, **kwargs)
        return act_once(
            user=request.user,
            key=check_key(key),
            request_sha256=fingerprint(request.method, request.path, body),
            act=lambda: self._kept_answer(request, **kwargs),
        )

    def _kept_answer(self, request: Request, **kwargs: str) -> Answer:
        try:
            answer = self.act(request, **kwargs)
        except Problem as problem:
            if problem.status not in KEPT_REFUSALS:
                raise
            answer = Answer(problem.status, problem_body(problem, request._request))
        return Answer(answer.status, json.loads(JSONRenderer().render(answer.body)))

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


def whole_list(rows: list[object]) -> Response:
    """Answer a list that is one page, in the shape of all lists."""
    return Response({"next": None, "previous": None, "results": rows})


def _response(answer: Answer) -> HttpResponse:
    if answer.status >= 400:
        response = HttpResponse(json.dumps(answer.body), status=answer.status, content_type=CONTENT_TYPE)
    else:
        response = Response(answer.body, status=answer.status)
    if answer.is_repeat:
        response.headers["Idempotent-Replayed"] = "true"
    return response
