"""`AsyncClient`: the calls of the API, and what needs several of them."""

import hashlib
import math
import time
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Unpack

from hubconsole_client.async_calls import AsyncCalls
from hubconsole_client.async_exactly_once import AsyncExactlyOnce
from hubconsole_client.errors import Damaged, JobNotDone
from hubconsole_client.models import Job, JobReportFiles, NewJobRequest

_FAILED = ("failed", "stopped")
_ENDED = ("done", *_FAILED)
# A job that is paused for one of these continues automatically.
_PASSING = ("disk_full", "storage_away")
# Seconds that one request waits for the end of a job, also while the job is paused; and at least between two.
_LONG_POLL, _POLL = 10, 2.0


class AsyncClient(AsyncCalls):
    async def run_job(
        self,
        *,
        idempotency_key: str | None = None,
        seconds: float | None = None,
        on_progress: Callable[[Job], object] = lambda _job: None,
        **body: Unpack[NewJobRequest],
    ) -> Job:
        """
        Create a job, wait for its end, and return it. A dry run ends when it is planned.

        Args: as for `wait_for_job`, and those of a new job.

        Raises:
            JobNotDone: it failed, was stopped, or needs a person.
            TimeoutError: it has not ended; it continues.
        """
        job = await self.jobs.create(idempotency_key=idempotency_key, **body)
        job = await self.wait_for_job(job["job_id"], seconds=seconds, on_progress=on_progress)
        if job["state"] in _FAILED:
            raise JobNotDone(job)
        return job

    async def wait_for_job(
        self,
        job_id: int,
        *,
        seconds: float | None = None,
        on_progress: Callable[[Job], object] = lambda _job: None,
    ) -> Job:
        """
        Wait for the end of a job, also a bad one, and return the job.

        Args:
            seconds: to wait at most.
            on_progress: a plain function, which is called with the job after each request.

        Raises:
            JobNotDone: it is paused until a person decides.
            TimeoutError: it has not ended.
        """
        ends = math.inf if seconds is None else time.monotonic() + seconds
        wait = 0.0
        while True:
            began = time.monotonic()
            query = {"wait": int(wait)}
            job: Job = await self.send("GET", f"jobs/{int(job_id)}/", query=query, more_seconds=wait)
            on_progress(job)
            if job["state"] in _ENDED or (job["dry_run"] and job["state"] == "planned"):
                return job
            if job["state"] == "paused" and job["paused_for"] not in _PASSING:
                raise JobNotDone(job)
            if time.monotonic() >= ends:
                raise TimeoutError(f"Job {job_id} is {job['state']} after {seconds:g} s.")
            # A console that has too many waiting callers answers immediately.
            await self.wait(max(0.0, min(began + (_POLL if wait else 0.2), ends) - time.monotonic()))
            wait = min(_LONG_POLL, max(0.0, ends - time.monotonic()))

    async def download_export(self, job_id: int, folder: str | Path) -> list[Path]:
        """
        Write the files of an export that is done to a folder, and return their paths.

        A missing folder is made. A file appears under its name when it is complete, and replaces one of that
        name.

        Raises:
            ValueError: the job is not an export.
            JobNotDone: the export is not done.
            Damaged: a file is not what the console wrote; it is not kept.
            Refused: the files have expired (410), or belong to another user.
        """
        job = await self.jobs.get(job_id)
        if job["kind"] != "export":
            raise ValueError(f"Job {job_id} is not an export: it is of the kind {job['kind']}.")
        if job["state"] != "done":
            raise JobNotDone(job)
        Path(folder).mkdir(parents=True, exist_ok=True)
        return [await self._download_file(file, Path(folder)) for file in job["report"].get("files", [])]

    def exactly_once(self, *, trigger: str, uuid: Callable[..., object]) -> AsyncExactlyOnce:
        """
        Return a decorator: its function is called for each document of a trigger once.

        Args:
            trigger: its id.
            uuid: gets the arguments of a call and returns the UUID of the document, a text or uuid.UUID.
        """
        return AsyncExactlyOnce(self.document_history, trigger=trigger, uuid=uuid)

    async def _download_file(self, file: JobReportFiles, folder: Path) -> Path:
        path = folder / PurePath(file["name"]).name
        part = path.with_name(f".{path.name}.part")
        digest = hashlib.sha256()
        try:
            with part.open("wb") as written:
                async for chunk in self.stream_file(file["download"]):
                    digest.update(chunk)
                    written.write(chunk)
            if digest.hexdigest() != file["sha256"]:
                raise Damaged(f"{file['name']} is not what the console wrote: its SHA-256 differs.")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        return path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.address}>"
