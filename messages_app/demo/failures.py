"""
The failures of the demo, with the texts that the hub stores.

failed_desc has the code, a colon, the description, the root exception with its message in brackets, and the
stack trace. Source: docs/contributing/spec/cleverbus.md, "Error texts", "Retries", "Error codes".
"""

from dataclasses import dataclass
from functools import cache
from random import Random

_VARIANTS = 6


@dataclass(frozen=True, kw_only=True)
class Failure:
    """
    A kind of failure.

    Args:
        code: the hub's error code, or the application's own.
        is_fatal: whether the first attempt is the last.
        at_call: whether the call of the external system fails; otherwise it is never made.
        weight: share among all failures.
    """

    code: str
    description: str
    exception: str
    text: str
    weight: float = 0.0
    is_fatal: bool = False
    at_call: bool = True


NO_CONNECTION = Failure(
    code="E103", description="I/O error during communication with target system", weight=30,
    exception="java.net.ConnectException", text="Connection refused (Connection refused)",
)  # fmt: skip
TIMEOUT = Failure(
    code="E103", description="I/O error during communication with target system", weight=22,
    exception="java.net.SocketTimeoutException", text="Read timed out",
)  # fmt: skip
UNAVAILABLE = Failure(
    code="E103", description="I/O error during communication with target system", weight=0,
    exception="org.apache.http.conn.HttpHostConnectException",
    text="Connect to billing.intra.example:443 failed",
)  # fmt: skip
WAITED_TOO_LONG = Failure(
    code="E121", description="message waited too long in state POSTPONED", is_fatal=True, at_call=False,
    exception="com.example.hub.core.OrderNotMetException",
    text="an older message with the same funnel value is not finished",
)  # fmt: skip
INVALID_INPUT = Failure(
    code="E102", description="validation error", weight=14, is_fatal=True, at_call=False,
    exception="com.example.hub.api.ValidationException", text="element 'postalCode' has no valid value",
)  # fmt: skip
BUSY_CALL = Failure(
    code="E112", description="message or external call is locked by another process", weight=5,
    exception="com.example.hub.core.LockFailureException", text="external call is in state PROCESSING",
)  # fmt: skip
STUCK = Failure(
    code="E116", description="message stayed in state PROCESSING for too long", weight=2, at_call=False,
    exception="com.example.hub.core.StuckMessageException", text="repaired after 300 s",
)  # fmt: skip
# A defect of the hub or of its configuration, which the hub cannot name.
UNSPECIFIED = Failure(
    code="E100", description="unspecified error", weight=9,
    exception="java.lang.NullPointerException", text="null",
)  # fmt: skip
SPLIT_BEFORE = Failure(
    code="E100", description="unspecified error",
    exception="java.lang.IllegalStateException", text="the message was split before",
)  # fmt: skip
FAILURES = (
    NO_CONNECTION,
    TIMEOUT,
    INVALID_INPUT,
    Failure(
        code="E107", description="no data found", weight=8, is_fatal=True,
        exception="com.example.hub.api.NoDataFoundException", text="no contract for this customer",
    ),
    Failure(
        code="E109", description="invalid data", weight=6, is_fatal=True, at_call=False,
        exception="com.example.hub.api.InvalidDataException", text="amount is not the sum of its lines",
    ),
    BUSY_CALL,
    UNSPECIFIED,
    STUCK,
    Failure(
        code="CU12", description="customer is blocked for changes", weight=4, is_fatal=True,
        exception="com.example.hub.crm.CustomerBlockedException", text="dunning level 3",
    ),
)  # fmt: skip
_WEIGHTS = [failure.weight for failure in FAILURES]
_RETRIED = [failure for failure in FAILURES if not failure.is_fatal]
_RETRIED_WEIGHTS = [failure.weight for failure in _RETRIED]


def choose_failure(random: Random) -> Failure:
    return random.choices(FAILURES, _WEIGHTS)[0]


def choose_retried_failure(random: Random) -> Failure:
    """Return a failure that the hub retries."""
    return random.choices(_RETRIED, _RETRIED_WEIGHTS)[0]


def failed_desc(failure: Failure, *, service: str, random: Random) -> str:
    """Return the text of one failure in a service's route."""
    return _make_descriptions(failure, service)[int(random.random() * _VARIANTS)]


def failed_reason(failure: Failure, *, service: str, random: Random) -> str:
    """Return the same failure as the request log stores it."""
    return failed_desc(failure, service=service, random=random).partition("\n")[2]


@cache
def _make_descriptions(failure: Failure, service: str) -> tuple[str, ...]:
    first = f"{failure.code}: {failure.description} ({failure.exception}: {failure.text})"
    return tuple(f"{first}\n{_stack_trace(failure, service, variant)}" for variant in range(_VARIANTS))


def _stack_trace(failure: Failure, service: str, variant: int) -> str:
    route = f"{service.capitalize()}Route"
    lines = ["org.apache.camel.CamelExecutionException: Exception occurred during execution on the exchange"]
    lines += [f"\tat {place}" for place in _outer_frames(service, route, variant)]
    lines += [f"Caused by: {failure.exception}: {failure.text}"]
    lines += [f"\tat {place}" for place in _inner_frames(service, route, variant)]
    return "\n".join([*lines, f"\t... {41 + variant} more"])


def _outer_frames(service: str, route: str, variant: int) -> list[str]:
    return [
        f"com.example.hub.{service}.{route}.process({route}.java:{88 + variant})",
        f"com.example.hub.{service}.{route}$1.onMessage({route}.java:{52 + variant})",
        "org.apache.camel.processor.Pipeline.process(Pipeline.java:121)",
        "org.apache.camel.processor.RedeliveryErrorHandler.process(RedeliveryErrorHandler.java:398)",
        "org.apache.camel.component.seda.SedaConsumer.sendToConsumers(SedaConsumer.java:298)",
        "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)",
        "java.lang.Thread.run(Thread.java:748)",
    ]


def _inner_frames(service: str, route: str, variant: int) -> list[str]:
    return [
        f"com.example.hub.{service}.{route}.callTarget({route}.java:{131 + 3 * variant})",
        f"com.example.hub.core.ExternalCallProducer.process(ExternalCallProducer.java:{97 + variant})",
        "org.apache.http.impl.client.CloseableHttpClient.execute(CloseableHttpClient.java:83)",
        "org.springframework.ws.client.core.WebServiceTemplate.sendRequest(WebServiceTemplate.java:658)",
        "org.springframework.ws.client.core.WebServiceTemplate.doSendAndReceive(WebServiceTemplate.java:606)",
    ]
