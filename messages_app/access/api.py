"""The base view of the API: permissions and strict parameters."""

from collections.abc import Iterable, Mapping
from typing import NoReturn, cast

from django.core.exceptions import PermissionDenied as DjangosPermissionDenied
from django.http import HttpResponse
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from messages_app.access.authentication import record_refused_use
from messages_app.access.described_calls import members_of_answer
from messages_app.access.models import ApiToken
from messages_app.access.permissions import (
    HasRight,
    problem_of_refusal,
    reach_of,
    refusal_of,
    wanted_scope,
)
from messages_app.core.chosen_fields import choose_fields, take_fields
from messages_app.core.etags import IF_MATCH, IF_NONE_MATCH, Conditions, unsupported_condition
from messages_app.core.parameters import single_values
from messages_app.core.problems import Problem

_READS = ("GET", "HEAD")
_REFUSALS = (PermissionDenied, DjangosPermissionDenied)


class ApiView(APIView):
    """
    The base of all views of the API.

    Attributes:
        rights: the permission of roles.py that each method requires.
        parameters: the query parameters that a GET reads, each at most once, into `self.values`; None: the
            view reads them, as for filters. Other methods have no query parameters.
    """

    permission_classes = [HasRight]
    http_method_names = ["get", "head", "options", "post", "patch", "delete"]
    rights: Mapping[str, str] = {}
    parameters: frozenset[str] | None = frozenset()
    # The members that a GET returns; None: all.
    chosen_fields: frozenset[str] | None = None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        super().initial(request, *args, **kwargs)
        # An unsupported method gets a 405, whatever else is wrong with the request.
        if request.method not in self.allowed_methods:
            self.http_method_not_allowed(request)
        if request.method in _READS and (members := members_of_answer(self)):
            self.chosen_fields = take_fields(request._request, members)
        names = self.parameters if request.method in _READS else frozenset()
        if names is not None:
            self.values = single_values(request.query_params, names)
        self.conditions = Conditions.parse_headers(request.headers)
        if self.conditions and not self.may_have_conditions(request):
            raise unsupported_condition(IF_MATCH if self.conditions.if_match is not None else IF_NONE_MATCH)

    def may_have_conditions(self, request: Request) -> bool:
        """Whether the call has an entity tag that `If-Match` and `If-None-Match` are compared with."""
        return False

    # The library's types only allow its own response class, but it accepts any response of Django, also one
    # without a body.
    def finalize_response(  # type: ignore[override]
        self, request: Request, response: HttpResponse, *args: object, **kwargs: object
    ) -> HttpResponse:
        """Leave out the members of an answer to a GET that the caller did not choose."""
        is_read = request.method in _READS and response.status_code == 200
        if is_read and isinstance(response, Response) and self.chosen_fields is not None:
            response.data = choose_fields(response.data, self.chosen_fields)
        return super().finalize_response(request, cast(Response, response), *args, **kwargs)

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
        return False

    def reach_of_caller(self, request: Request) -> frozenset[str] | None:
        """Return the names for which the caller's token has the view's permission; None: for all."""
        return reach_of(request.user, self.rights[request.method or ""])

    def permission_denied(
        self, request: Request, message: str | None = None, code: str | None = None
    ) -> NoReturn:
        """
        Record the refusal in the audit log before raising it (docs/contributing/spec/promises.md, I-54,
        S-56).

        Args:
            message: the reason, if it is not a missing permission, scope or reason.
        """
        try:
            super().permission_denied(request, message=message, code=code)
        except PermissionDenied:
            self.record_refusal(request)
            if message:
                raise Problem(403, "permission_denied", message) from None
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


def whole_list(rows: Iterable[object]) -> Response:
    """Return a list that is a single page, in the format of all lists."""
    return Response({"next": None, "previous": None, "results": rows})
