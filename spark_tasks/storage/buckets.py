"""
A bucket of an S3 store. Files are written by boto3, which gives up an upload that fails, and read by Arrow.

A file is written to the local disk first. Its upload makes it visible as a whole, or not at all. A process
that is killed leaves an open upload, which is listed as a file whose name ends with `.tmp`, as on a disk.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError
from pyarrow import fs

from spark_tasks.storage.bucket_faults import code_of, describing_faults, status_of
from spark_tasks.storage.faults import StillKept, StorageRefused
from spark_tasks.storage.files import Link
from spark_tasks.storage.folders import HALF
from spark_tasks.storage.options import BucketOptions

_MB = 1024 * 1024
# Files above this size are uploaded in parts, which can be repeated one by one.
_TRANSFER = TransferConfig(multipart_threshold=16 * _MB, multipart_chunksize=16 * _MB, max_concurrency=4)
_CONNECT_SECONDS, _ANSWER_SECONDS, _TRIES = 3, 20, 3
_DEFAULT_REGION = "us-east-1"
# Answers of a store without versions, or without uploads in parts.
_UNKNOWN = {"NotImplemented", "MethodNotAllowed"}


class BucketFiles:
    """
    The files below the prefix of a bucket.

    Raises StorageRefused if the address has more than that. The methods raise StorageAway, StorageRefused,
    and FileNotFoundError for a missing file.
    """

    def __init__(self, uri: str, options: BucketOptions) -> None:
        parts = urlsplit(uri)
        if not parts.hostname or parts.username or parts.password or parts.query:
            raise StorageRefused(
                "The address of a bucket has its name and a prefix only: s3://bucket/prefix. Credentials"
                " belong in the variables and files of AWS, the store's address in HUBCONSOLE_S3_ENDPOINT."
            )
        self._place = uri
        self._bucket = parts.netloc
        self._prefix = f"{parts.path.strip('/')}/".lstrip("/")
        self._options = options

    @contextmanager
    def open_to_write(self, path: str) -> Iterator[BinaryIO]:
        key, arguments = self._key_of(path), self._options.as_upload_arguments()
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            with self._describing_faults():
                self._client.upload_fileobj(file, self._bucket, key, arguments, Config=_TRANSFER)

    @contextmanager
    def open_to_read(self, path: str) -> Iterator[BinaryIO]:
        filesystem = _make_filesystem(self._options.endpoint)
        try:
            with filesystem.open_input_file(f"{self._bucket}/{self._key_of(path)}") as file:
                yield file
        except OSError:
            # Arrow's errors have no codes: a store that refuses looks like a missing or damaged file.
            self.size_of(path)
            raise

    def list_sizes(self) -> dict[str, int]:
        with self._describing_faults():
            entries = self._list_entries("list_objects_v2", "Contents", self._prefix)
            sizes = {entry["Key"]: entry["Size"] for entry in entries}
            sizes |= {f"{upload['Key']}{HALF}": 0 for upload in self._list_uploads(self._prefix)}
        return {key.removeprefix(self._prefix): size for key, size in sizes.items()}

    def size_of(self, path: str) -> int:
        with self._describing_faults():
            # Not `head_object`, whose answers have no code.
            answer = self._client.get_object(Bucket=self._bucket, Key=self._key_of(path))
            answer["Body"].close()
        return int(answer["ContentLength"])

    def make_link(self, path: str, link: Link) -> str:
        parameters = {
            "Bucket": self._bucket,
            "Key": self._key_of(path),
            "ResponseContentDisposition": f'attachment; filename="{link.name}"',
            "ResponseContentType": link.content_type,
        }
        with self._describing_faults():
            address: str = self._client.generate_presigned_url(
                "get_object", Params=parameters, ExpiresIn=link.seconds
            )
        return address

    def remove(self, path: str) -> None:
        """
        Remove a file with all its versions, or give up the open uploads of a path that ends with `.tmp`.

        Raises:
            StillKept: a retention lock or a legal hold protects the file.
        """
        with self._describing_faults():
            if path.endswith(HALF):
                self._give_up_uploads(self._key_of(path.removesuffix(HALF)))
            elif self._has_versions():
                self._remove_versions(path)
            else:
                self._client.delete_object(Bucket=self._bucket, Key=self._key_of(path))

    def remove_folder(self, path: str) -> None:
        prefix = f"{self._key_of(path)}/"
        with self._describing_faults():
            keys = {entry["Key"] for entry in self._list_entries("list_objects_v2", "Contents", prefix)}
            keys |= {f"{upload['Key']}{HALF}" for upload in self._list_uploads(prefix)}
        for key in sorted(keys):
            self.remove(key.removeprefix(self._prefix))

    @property
    def _client(self) -> Any:
        return _make_client(self._options.endpoint)

    def _key_of(self, path: str) -> str:
        return f"{self._prefix}{path}"

    def _describing_faults(self) -> AbstractContextManager[None]:
        return describing_faults(self._place)

    def _list_entries(self, operation: str, part: str, prefix: str) -> list[Mapping[str, Any]]:
        pages = self._client.get_paginator(operation).paginate(Bucket=self._bucket, Prefix=prefix)
        return [entry for page in pages for entry in page.get(part, ())]

    def _list_uploads(self, prefix: str) -> list[Mapping[str, str]]:
        try:
            return self._list_entries("list_multipart_uploads", "Uploads", prefix)
        except ClientError as error:
            if code_of(error) in _UNKNOWN:
                return []
            raise

    def _give_up_uploads(self, key: str) -> None:
        for upload in self._list_uploads(key):
            if upload["Key"] == key:
                self._client.abort_multipart_upload(Bucket=self._bucket, Key=key, UploadId=upload["UploadId"])

    def _has_versions(self) -> bool:
        try:
            return bool(self._client.get_bucket_versioning(Bucket=self._bucket).get("Status"))
        except ClientError as error:
            if code_of(error) in _UNKNOWN:
                return False
            raise

    def _remove_versions(self, path: str) -> None:
        key = self._key_of(path)
        entries = [
            *self._list_entries("list_object_versions", "Versions", key),
            *self._list_entries("list_object_versions", "DeleteMarkers", key),
        ]
        versions = [entry["VersionId"] for entry in entries if entry["Key"] == key]
        protected = [version for version in versions if not self._remove_version(key, version)]
        if protected:
            raise StillKept(self._describe_kept(path, protected[0]))

    def _remove_version(self, key: str, version: str) -> bool:
        """Remove a version; return False if the store does not let it go."""
        try:
            self._client.delete_object(Bucket=self._bucket, Key=key, VersionId=version)
        except ClientError as error:
            if status_of(error) == 403:
                return False
            raise
        return True

    def _describe_kept(self, path: str, version: str) -> str:
        until = self._kept_until(self._key_of(path), version)
        if until:
            return f"{self._place} keeps {path} until {until}: a retention lock protects it."
        return (
            f"{self._place} does not delete {path}: a lock protects it, or the right s3:DeleteObjectVersion"
            " is missing."
        )

    def _kept_until(self, key: str, version: str) -> str:
        """Return the day until which a version is locked; an empty text if the store does not say."""
        try:
            answer = self._client.get_object_retention(Bucket=self._bucket, Key=key, VersionId=version)
        except ClientError:
            return ""
        return str(answer["Retention"]["RetainUntilDate"].date())


@cache
def _make_client(endpoint: str) -> Any:
    """Return a client of a store. Making one takes 0.1 s; threads may share it."""
    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_ANSWER_SECONDS,
        retries={"mode": "standard", "total_max_attempts": _TRIES},
        signature_version="s3v4",
    )
    client = boto3.Session().client
    return client("s3", endpoint_url=endpoint or None, region_name=_find_region(), config=config)


@cache
def _make_filesystem(endpoint: str) -> fs.S3FileSystem:
    store = urlsplit(endpoint)
    return fs.S3FileSystem(
        endpoint_override=store.netloc or None,
        scheme=store.scheme or "https",
        region=_find_region(),
        connect_timeout=_CONNECT_SECONDS,
        request_timeout=_ANSWER_SECONDS,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_TRIES),
    )


def _find_region() -> str:
    named = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return named or boto3.Session().region_name or _DEFAULT_REGION
