"""What the room's services refuse, as answers; and what the room's POSTs share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from messages_app.access.api import ActionView
from messages_app.document_history import services
from messages_app.web.api_schema import IDEMPOTENCY, answers
from messages_app.web.problems import Problem, bad_field, not_found

_AGAIN = {"Retry-After": "5"}


@contextmanager
def as_problems() -> Iterator[None]:
    """Answer what services refuse; without a verdict it is a 503, which no client takes for New."""
    try:
        yield
    except services.HistoryUnavailable as error:
        raise Problem(503, "history_unavailable", str(error), headers=_AGAIN) from None
    except services.TriggerSuspended as error:
        raise _Suspended(error) from None
    except services.InvalidTrigger as error:
        raise bad_field(error.field, error.code, str(error)) from None
    except (services.TriggerNotFound, services.DocumentNotFound, services.InDoubtNotFound) as error:
        raise not_found(str(error)) from None
    except services.LeaseLost as error:
        raise Problem(409, "lease_lost", str(error)) from None
    except services.DocumentConflict as error:
        state = {"current_state": error.current_state}
        raise Problem(409, "state_conflict", str(error), extra=state) from None


class _Suspended(Problem):
    def __init__(self, error: services.TriggerSuspended) -> None:
        super().__init__(503, "trigger_suspended", str(error), headers=_AGAIN)
        self.error = error


class DocumentActionView(ActionView):
    """A POST of this room; a subclass writes `act`."""

    def post(self, request: Request, **kwargs: str) -> HttpResponse:
        try:
            return super().post(request, **kwargs)
        except _Suspended as problem:
            # With an Idempotency-Key the suspension was undone with the rest of what this request did.
            error = problem.error
            services.suspend_trigger(trigger_id=error.trigger_id, because=error.because)
            raise


def body_of(serializer: type[BaseSerializer], request: Request) -> BaseSerializer:
    """Return what a POST says, checked. Raises ValidationError: 400 with the fields at fault."""
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return body


def described(
    status: int,
    request: type[BaseSerializer],
    response: type[BaseSerializer],
    problems: tuple[int, ...],
    *,
    description: str,
) -> Callable[[type], type]:
    """Describe a view's POST."""
    schema = extend_schema(
        description=description,
        request=request,
        parameters=[IDEMPOTENCY],
        responses=answers(status, response, problems),
    )
    return extend_schema_view(post=schema)
