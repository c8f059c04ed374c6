"""Addresses of buckets, and a store that is not there. tests/integrations has the tests with a store."""

import subprocess
import sys

import pytest

from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StorageAway, StorageRefused
from spark_tasks.storage.options import BucketOptions

# Nothing listens at this port.
NOWHERE = BucketOptions(endpoint="http://127.0.0.1:1")


@pytest.fixture(autouse=True)
def credentials(monkeypatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "of-a-test")


class TestBucketFiles:
    @pytest.mark.parametrize(
        "uri", ["s3://key:secret@bucket/archive", "s3://bucket/archive?region=eu", "s3://", "s3:///archive"]
    )
    def test_have_an_address_of_a_bucket_and_a_prefix_only(self, uri):
        with pytest.raises(StorageRefused, match="The address of a bucket has its name and a prefix only"):
            Storage(uri, NOWHERE).list_paths()

    def test_say_that_a_store_does_not_answer(self):
        with pytest.raises(StorageAway, match="does not answer: no connection to its store"):
            Storage("s3://bucket/archive", NOWHERE).list_paths()

    @pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "", "a\0b"])
    def test_access_nothing_outside_their_prefix(self, path):
        with pytest.raises(PermissionError):
            Storage("s3://bucket/archive", NOWHERE).remove(path)

    def test_need_boto3_and_name_the_extra(self):
        program = (
            "import sys; sys.modules['boto3'] = None\n"
            "from spark_tasks.storage.addresses import Storage\n"
            "Storage('s3://bucket/archive').list_paths()"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert 'StorageRefused: s3://bucket/archive needs boto3: pip install "hubconsole[s3]"' in ended.stderr


class TestAsUploadArguments:
    @pytest.mark.parametrize(
        ("options", "arguments"),
        [
            ({}, {}),
            ({"encryption": "AES256"}, {"ServerSideEncryption": "AES256"}),
            ({"encryption": "aws:kms"}, {"ServerSideEncryption": "aws:kms"}),
            (
                {"encryption": "aws:kms", "kms_key": "alias/hub"},
                {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": "alias/hub"},
            ),
        ],
    )
    def test_ask_for_the_encryption(self, options, arguments):
        assert BucketOptions(**options).as_upload_arguments() == arguments
