"""versitygw, an S3 store on folders of the disk, built from its source by Go and started for a test."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import boto3
from botocore.config import Config

from spark_tasks.storage.addresses import Storage
from spark_tasks.storage.options import BucketOptions
from tests.support.eventually import eventually
from tests.support.files import ROOT

_SOURCE = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
_PROGRAMS = ROOT / "var" / "integrations"
REGION, KEY, SECRET = "eu-central-1", "hub-archive", "secret-of-the-hub-archive"


def find_program() -> Path:
    """
    Return the program, which is built at its first use in two minutes.

    Raises:
        FileNotFoundError: there is no Go.
        subprocess.CalledProcessError: it cannot be built.
    """
    program = _PROGRAMS / "versitygw"
    if not program.exists():
        go = shutil.which("go")
        if go is None:
            raise FileNotFoundError("The tests of object stores need Go 1.24 or newer.")
        _PROGRAMS.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {"GOBIN": str(_PROGRAMS), "CGO_ENABLED": "0"}
        subprocess.run([go, "install", _SOURCE], env=environment, check=True)
    return program


class ObjectStore:
    """A store that keeps its buckets and their versions in a folder. It can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        for name in ("buckets", "versions"):
            (folder / name).mkdir()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def client(self):
        config = Config(signature_version="s3v4", retries={"total_max_attempts": 1})
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            config=config,
        )

    def start(self) -> None:
        command = [
            find_program(),
            *("--port", f"127.0.0.1:{self._port}", "--region", REGION),
            *("posix", "--versioning-dir", self._folder / "versions", self._folder / "buckets"),
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                env=os.environ | {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET},
                stdout=log,
                stderr=log,
            )
        eventually(self._answers)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def make_bucket(self, name: str, *, has_versions: bool = False, has_locks: bool = False) -> Storage:
        """Make a bucket, and return a storage below a prefix of it."""
        self.client.create_bucket(Bucket=name, ObjectLockEnabledForBucket=has_locks)
        if has_versions:
            self.client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
        return Storage(f"s3://{name}/archive", BucketOptions(endpoint=self.endpoint))

    def list_keys(self, bucket: str) -> list[str]:
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=bucket).get("Contents", ())]

    def list_uploads(self, bucket: str) -> list[str]:
        return [
            entry["Key"] for entry in self.client.list_multipart_uploads(Bucket=bucket).get("Uploads", ())
        ]

    def list_versions(self, bucket: str) -> list[str]:
        answer = self.client.list_object_versions(Bucket=bucket)
        return [entry["Key"] for kind in ("Versions", "DeleteMarkers") for entry in answer.get(kind, ())]

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
