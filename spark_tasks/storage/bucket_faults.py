"""Describes what an S3 store answers in place of a file, by the codes of its answers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    PartialCredentialsError,
    ReadTimeoutError,
)

from spark_tasks.storage.faults import StorageAway, StorageFault, StorageRefused

_BUSY = {"SlowDown", "RequestTimeout", "Throttling", "ThrottlingException", "RequestLimitExceeded"}
_MISSING = {"NoSuchKey", "NoSuchVersion", "NotFound", "404"}
_MAX_TEXT = 200
_REASONS: Mapping[type[BotoCoreError], str] = {
    EndpointConnectionError: "no connection to its store",
    ConnectTimeoutError: "no connection to its store in time",
    ReadTimeoutError: "no answer of its store in time",
}


@contextmanager
def describing_faults(place: str) -> Iterator[None]:
    """
    Describe the errors of a store's client.

    Raises:
        FileNotFoundError: there is no such file.
        StorageFault: as describe_fault returns it.
    """
    try:
        yield
    except ClientError as error:
        if code_of(error) in _MISSING:
            raise FileNotFoundError(f"There is no such file in {place}.") from error
        raise describe_fault(error, place=place) from error
    except BotoCoreError as error:
        raise describe_fault(error, place=place) from error


def describe_fault(error: BotoCoreError | ClientError, *, place: str) -> StorageFault:
    """Return a fault whose message is a sentence that names the place."""
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return StorageRefused(f"There are no credentials for {place}. Set AWS_ACCESS_KEY_ID and its key.")
    if isinstance(error, BotoCoreError):
        # Not the text of the error, which has the whole address of the file.
        return StorageAway(f"{place} does not answer: {_REASONS.get(type(error), type(error).__name__)}.")
    code = code_of(error)
    if code in _BUSY or status_of(error) >= 500:
        return StorageAway(f"{place} asks to wait: {code}.")
    if code == "NoSuchBucket":
        return StorageRefused(f"The bucket of {place} does not exist.")
    return StorageRefused(f"{place} refuses the request: {code}, {_shorten_text(_message_of(error))}")


def code_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", "without a code"))


def status_of(error: ClientError) -> int:
    """Return the status of the answer, such as 403; 0 if it has none."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _message_of(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Message", ""))


def _shorten_text(text: object) -> str:
    lines = str(text).strip().splitlines() or ["no reason given"]
    return f"{lines[0][:_MAX_TEXT].rstrip('.')}."
