"""
What the room's services refuse, as answers; and what the room's POSTs share.

Source: spec/interfaces.md 7.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from messages_app.cp_queue import services
from messages_app.web.api_schema import IDEMPOTENCY, answers
from messages_app.web.problems import Problem, bad_field, not_found

SUCCESS = {"return_code": 0}


@contextmanager
def as_problems() -> Iterator[None]:
    """Answer what services refuse."""
    try:
        yield
    except services.InvalidParameter as error:
        raise bad_field(error.field, error.code, str(error)) from None
    except services.MessageNotFound as error:
        raise not_found(str(error)) from None
    except services.TokenLost as error:
        raise Problem(409, "lease_lost", str(error)) from None
    except services.MessageConflict as error:
        extra = {"current_state": error.current_state, "refusal": error.code}
        raise Problem(409, "state_conflict", str(error), extra=extra) from None


def body_of(serializer: type[BaseSerializer], request: Request) -> dict[str, object]:
    """Return what a POST says, checked. Raises ValidationError: 400 with the fields at fault."""
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return body.validated_data


def described(
    request: type[BaseSerializer],
    responses: dict[int, type[BaseSerializer]],
    problems: tuple[int, ...],
    *,
    description: str,
) -> Callable[[type], type]:
    """Describe a view's POST; the view `takes` what it says."""
    (status, response), *others = responses.items()
    schema = extend_schema(
        description=description,
        request=request,
        parameters=[IDEMPOTENCY],
        responses={**answers(status, response, problems), **dict(others)},
    )

    def describe(view: type) -> type:
        view.takes = request
        return extend_schema_view(post=schema)(view)

    return describe
