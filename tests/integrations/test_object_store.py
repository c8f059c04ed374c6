"""Storage in buckets of a real store: nothing half is visible, and each fault has its own words."""

import datetime as dt
import os
import signal
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from spark_tasks.parquet.files import Unreadable, check_digest
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.faults import StillKept, StorageAway, StorageRefused
from spark_tasks.storage.files import Link
from spark_tasks.storage.options import BucketOptions
from tests.integrations.object_store import ObjectStore
from tests.integrations.store_gate import open_gate
from tests.support.eventually import eventually

pytestmark = pytest.mark.integrations

BIG = 24 * 1024 * 1024  # more than one part

# Uploads a file slowly, in parts.
SLOW_UPLOAD = """
import sys
from boto3.s3.transfer import TransferConfig
from spark_tasks.storage import buckets
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.files import Link
from spark_tasks.storage.options import BucketOptions

MB = 1024 * 1024
buckets._TRANSFER = TransferConfig(
    multipart_threshold=5 * MB, multipart_chunksize=5 * MB, max_concurrency=1, max_bandwidth=4 * MB
)
storage = Storage(sys.argv[1], BucketOptions(endpoint=sys.argv[2]))
with storage.open_to_write("message/part.parquet") as file:
    file.write(b"x" * 60 * MB)
"""


REFUSED = """
import sys
from spark_tasks.parquet.files import check_digest
from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.files import Link
from spark_tasks.storage.options import BucketOptions

storage = Storage(sys.argv[1], BucketOptions(endpoint=sys.argv[2]))
"""
ACTS = {
    "read": "check_digest(storage, 'part.parquet', 'x')",
    "write": "with storage.open_to_write('new.parquet') as file: file.write(b'rows')",
    "list": "storage.list_paths()",
    "remove": "storage.remove('part.parquet')",
}


def write(storage: Storage, path: str, content: bytes) -> None:
    with storage.open_to_write(path) as file:
        file.write(content)


def write_half(storage: Storage, path: str, content: bytes) -> None:
    with storage.open_to_write(path) as file:
        file.write(content)
        raise ZeroDivisionError


def read(storage: Storage, path: str) -> bytes:
    with storage.open_to_read(path) as file:
        return file.read()


def start_slow_upload(store: ObjectStore, storage: Storage) -> subprocess.Popen[bytes]:
    """Start an upload and return its process when the store has begun to take parts."""
    command = [sys.executable, "-c", SLOW_UPLOAD, storage.uri, store.endpoint]
    uploading = subprocess.Popen(command, stderr=subprocess.PIPE)
    eventually(lambda: store.list_uploads("hub"))
    return uploading


class TestOpenToWrite:
    @pytest.mark.parametrize("size", [0, 5, BIG], ids=["empty", "small", "in parts"])
    def test_makes_a_file_that_reads_back_the_same(self, store, size):
        storage, content = store.make_bucket("hub"), os.urandom(size)
        write(storage, "message/part.parquet", content)
        assert read(storage, "message/part.parquet") == content
        assert storage.list_paths() == ["message/part.parquet"]
        assert store.list_keys("hub") == ["archive/message/part.parquet"]

    def test_leaves_no_file_if_the_writing_raised(self, store):
        storage = store.make_bucket("hub")
        with pytest.raises(ZeroDivisionError):
            write_half(storage, "message/part.parquet", b"x" * BIG)
        assert (store.list_keys("hub"), store.list_uploads("hub")) == ([], [])

    def test_keeps_the_old_file_if_writing_a_new_one_raised(self, store):
        storage = store.make_bucket("hub")
        write(storage, "part.parquet", b"old")
        with pytest.raises(ZeroDivisionError):
            write_half(storage, "part.parquet", b"half of the new")
        assert read(storage, "part.parquet") == b"old"

    def test_leaves_only_an_open_upload_if_the_process_was_killed(self, store):
        storage = store.make_bucket("hub")
        uploading = start_slow_upload(store, storage)
        uploading.send_signal(signal.SIGKILL)
        uploading.communicate()

        assert store.list_keys("hub") == []
        assert storage.list_paths() == ["message/part.parquet.tmp"]
        storage.remove("message/part.parquet.tmp")
        assert (storage.list_paths(), store.list_uploads("hub")) == ([], [])

    def test_gives_up_the_uploads_of_one_path_only(self, store):
        storage = store.make_bucket("hub")
        for key in ("archive/part.parquet", "archive/part.parquet.other"):
            store.client.create_multipart_upload(Bucket="hub", Key=key)
        storage.remove("part.parquet.tmp")
        assert store.list_uploads("hub") == ["archive/part.parquet.other"]

    def test_leaves_no_file_if_the_store_was_killed(self, store):
        storage = store.make_bucket("hub")
        uploading = start_slow_upload(store, storage)
        store.kill()
        errors = uploading.communicate()[1].decode()
        store.start()

        assert uploading.returncode == 1
        assert "StorageAway: s3://hub/archive does not answer" in errors
        assert store.list_keys("hub") == []

    def test_encrypts_as_asked_or_says_what_the_store_refuses(self, store):
        storage = store.make_bucket("hub")
        asked = Storage(storage.uri, BucketOptions(endpoint=store.endpoint, encryption="AES256"))
        write(asked, "part.parquet", b"rows")
        assert read(storage, "part.parquet") == b"rows"


class TestFaults:
    @pytest.mark.parametrize(
        ("name", "value", "code"),
        [
            ("AWS_SECRET_ACCESS_KEY", "wrong", "SignatureDoesNotMatch"),
            ("AWS_ACCESS_KEY_ID", "nobody", "XAdminUserNotFound"),
            ("AWS_SESSION_TOKEN", "of another day", "InvalidToken"),
        ],
    )
    @pytest.mark.parametrize("act", ACTS)
    def test_of_credentials_are_not_reported_as_damaged_files(self, store, act, name, value, code):
        storage = store.make_bucket("hub")
        write(storage, "part.parquet", b"rows")
        program = REFUSED + ACTS[act]
        ended = subprocess.run(
            [sys.executable, "-c", program, storage.uri, store.endpoint],
            env=os.environ | {name: value},
            capture_output=True,
            text=True,
        )
        assert f"StorageRefused: s3://hub/archive refuses the request: {code}" in ended.stderr
        assert storage.list_paths() == ["part.parquet"]

    def test_of_a_file_are_said_of_the_file(self, store):
        storage = store.make_bucket("hub")
        write(storage, "part.parquet", b"rows")
        with pytest.raises(Unreadable, match="is damaged: it is not what was written"):
            check_digest(storage, "part.parquet", "0" * 64)
        with pytest.raises(Unreadable, match="is missing"):
            check_digest(storage, "none.parquet", "0" * 64)

    def test_of_a_bucket_name_it(self, store):
        storage = Storage("s3://nowhere/archive", BucketOptions(endpoint=store.endpoint))
        with pytest.raises(StorageRefused, match="The bucket of s3://nowhere/archive does not exist"):
            storage.list_paths()

    def test_of_a_store_that_is_away_pass_when_it_is_back(self, store):
        storage = store.make_bucket("hub")
        write(storage, "part.parquet", b"rows")
        store.kill()
        with pytest.raises(StorageAway):
            read(storage, "part.parquet")
        with pytest.raises(StorageAway):
            write(storage, "part.parquet", b"other rows")
        store.start()
        assert read(storage, "part.parquet") == b"rows"

    @pytest.mark.parametrize("act", ACTS)
    def test_of_an_expired_token_are_said_of_the_token(self, store, tmp_path, act):
        storage = store.make_bucket("hub")
        write(storage, "part.parquet", b"rows")
        with open_gate(tmp_path / "nginx", store.endpoint) as gate:
            gate.expired.touch()
            ended = subprocess.run(
                [sys.executable, "-c", REFUSED + ACTS[act], storage.uri, gate.endpoint],
                capture_output=True,
                text=True,
            )
        assert (
            "StorageRefused: s3://hub/archive refuses the request: ExpiredToken,"
            " The provided token has expired." in ended.stderr
        )
        assert storage.list_paths() == ["part.parquet"]

    def test_of_a_store_that_asks_to_slow_down_are_of_the_passing_kind(self, store, tmp_path):
        store.make_bucket("hub")
        with open_gate(tmp_path / "nginx", store.endpoint, requests_a_minute=1) as gate:
            slow = Storage("s3://hub/archive", BucketOptions(endpoint=gate.endpoint))
            assert slow.list_paths() == []
            with pytest.raises(StorageAway, match="s3://hub/archive asks to wait: 503"):
                slow.list_paths()


class TestRemove:
    def test_leaves_no_version_of_a_file(self, store):
        storage = store.make_bucket("hub", has_versions=True)
        for content in (b"first", b"second"):
            write(storage, "part.parquet", content)
        write(storage, "part.parquet.other", b"stays")
        store.client.delete_object(Bucket="hub", Key="archive/part.parquet")
        storage.remove("part.parquet")
        assert store.list_versions("hub") == ["archive/part.parquet.other"]

    def test_names_the_day_until_which_a_lock_keeps_a_file(self, store):
        storage = store.make_bucket("hub", has_locks=True)
        until = dt.datetime.now(dt.UTC) + dt.timedelta(days=2)
        write(storage, "part.parquet", b"rows")
        store.client.put_object_retention(
            Bucket="hub",
            Key="archive/part.parquet",
            Retention={"Mode": "COMPLIANCE", "RetainUntilDate": until},
        )
        with pytest.raises(StillKept, match=f"keeps part.parquet until {until:%Y-%m-%d}: a retention lock"):
            storage.remove("part.parquet")
        assert read(storage, "part.parquet") == b"rows"

    def test_says_of_several_files_which_ones_are_kept(self, store):
        storage = store.make_bucket("hub", has_locks=True)
        for name in ("free", "held"):
            write(storage, name, b"rows")
        store.client.put_object_legal_hold(Bucket="hub", Key="archive/held", LegalHold={"Status": "ON"})
        assert list(storage.remove_each(["held", "free"])) == ["held"]
        assert storage.list_paths() == ["held"]


class TestMakeLink:
    def test_downloads_a_file_by_its_name_without_credentials_until_it_ends(self, store):
        storage = store.make_bucket("hub")
        write(storage, "job-1/file", b"a,b")
        link = Link(name="messages.csv", content_type="text/csv; charset=utf-8", seconds=2)
        address = storage.make_link("job-1/file", link)
        with urlopen(address) as answer:
            assert answer.read() == b"a,b"
            assert answer.headers["Content-Disposition"] == 'attachment; filename="messages.csv"'
            assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        eventually(lambda: _status_of(address) == 403)

    def test_is_of_one_file(self, store):
        storage = store.make_bucket("hub")
        for name in ("job-1/file", "job-2/file"):
            write(storage, name, b"a,b")
        link = Link(name="messages.csv", content_type="text/csv", seconds=60)
        address = storage.make_link("job-1/file", link)
        assert _status_of(address.replace("job-1", "job-2")) == 403


def _status_of(address: str) -> int:
    try:
        with urlopen(address) as answer:
            return answer.status
    except HTTPError as error:
        return error.code


class TestRemoveFolder:
    def test_removes_files_and_open_uploads_below_it_only(self, store):
        storage = store.make_bucket("hub", has_versions=True)
        for path in ("job-1/parts/a", "job-1/file", "job-12/file"):
            write(storage, path, b"a,b")
        store.client.create_multipart_upload(Bucket="hub", Key="archive/job-1/parts/b")
        storage.remove_folder("job-1")
        assert storage.list_sizes() == {"job-12/file": 3}
        assert store.list_uploads("hub") == []
        assert sorted(store.list_versions("hub")) == ["archive/job-12/file"]
