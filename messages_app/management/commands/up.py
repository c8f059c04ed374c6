"""`manage.py up`: starts everything in one terminal, from an empty folder to the pages."""

import argparse
import errno
import os
import time
from dataclasses import dataclass

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from hubconsole.devserver import preflight, programs
from hubconsole.devserver.postgres import data_elsewhere, make_database, prepare_postgres
from hubconsole.devserver.processes import end_leftovers
from hubconsole.devserver.spark import prepare_spark
from hubconsole.devserver.supervisor import Interrupts, Supervisor
from hubconsole.devserver.valkey import prepare_valkey
from messages_app.core.embedded_servers import CannotStart, broker_url, database_url
from messages_app.demo.hub.ground import Ground, look_at_ground
from messages_app.demo.hub_tables import TABLES
from messages_app.management.commands.demo_hub import parse_rate
from messages_app.messages.attachment import has_settings


@dataclass(frozen=True)
class _Demo:
    """The size of the demo, and the messages per second that its hub receives."""

    messages: int
    rate: float


class Command(BaseCommand):
    help = "Start the embedded servers, the pages and the workers; Ctrl-C ends all of them."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=_parse_port, default=8000, help="port of the pages (8000)")
        parser.add_argument("--bind", default="127.0.0.1", help="address of the pages (127.0.0.1)")
        parser.add_argument("--no-demo", action="store_true", help="load no demo data")
        parser.add_argument(
            "--messages", type=_parse_count, default=50_000, metavar="N", help="size of the demo (50 000)"
        )
        parser.add_argument(
            "--demo-rate",
            type=parse_rate,
            default=0.2,
            metavar="R",
            help="messages that the demo's hub receives per second (0.2)",
        )
        parser.add_argument(
            "--demo-hub",
            choices=sorted(TABLES),
            help="give the demo a hub with tables of its own, and attach the console to it; needs a new home",
        )

    def handle(
        self,
        *,
        bind: str,
        port: int,
        no_demo: bool,
        messages: int,
        demo_rate: float,
        demo_hub: str | None,
        **options: object,
    ) -> None:
        self._began = time.monotonic()
        self._home = settings.HUBCONSOLE_HOME
        interrupts = Interrupts()
        supervisor = Supervisor(home=self._home, interrupts=interrupts, say=self._print_step)
        try:
            with preflight.only_one(self._home), interrupts.handle_signals():
                try:
                    self._prepare_servers(supervisor, bind=bind, port=port, demo_hub=demo_hub)
                    demo = None if no_demo else _Demo(messages, demo_rate)
                    self._serve_pages(supervisor, bind=bind, port=port, demo=demo)
                except KeyboardInterrupt:
                    self._print_step("stopping")
                finally:
                    supervisor.stop()
            self._print_step("stopped; the data is kept")
        except CannotStart as error:
            raise SystemExit(f"hubconsole: {error}") from error
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise SystemExit(f"hubconsole: the disk of {self._home} is full.") from error

    def _prepare_servers(self, supervisor: Supervisor, *, bind: str, port: int, demo_hub: str | None) -> None:
        """Start the servers that the environment does not name, and migrate the database."""
        if count := end_leftovers(self._home):
            self._print_step(f"ended {count} processes that an earlier start had left running")
        preflight.check_address(bind, port)
        for place in filter(None, (self._home, data_elsewhere(self._home))):
            preflight.check_disk(place)
        if os.environ.get("DATABASE_URL"):
            self._check_database(demo_hub)
        self._print_step(f"the data is in {self._home}")
        if not os.environ.get("DATABASE_URL"):
            self._print_step("starting PostgreSQL")
            supervisor.start(prepare_postgres(self._home))
            if data := data_elsewhere(self._home):
                self._print_step(f"its data is in {data}, because its own user cannot enter {self._home}")
        if not os.environ.get("CELERY_BROKER_URL"):
            self._print_step("starting Valkey")
            supervisor.start(prepare_valkey(self._home))
            preflight.use_broker(broker_url(self._home))
        supervisor.wait()
        if not os.environ.get("DATABASE_URL"):
            make_database(self._home)
            preflight.use_database(database_url(self._home))
            self._check_database(demo_hub)
        self._print_step("bringing the tables up to date")
        call_command("migrate", verbosity=0, interactive=False)

    def _check_database(self, demo_hub: str | None) -> None:
        if demo_hub:
            self._print_step(f"attaching to the demo's hub, whose tables are in the schema {demo_hub}")
            preflight.use_demo_hub(demo_hub, times=programs.demo_hub_times())
        preflight.check_version()

    def _serve_pages(self, supervisor: Supervisor, *, bind: str, port: int, demo: "_Demo | None") -> None:
        """Start the pages first, then the slower services. Return after a signal."""
        password = preflight.create_first_user(self._home)
        ground = look_at_ground()
        has_hub = demo is not None and (ground is Ground.DEMO or self._is_loaded_now(demo, ground))
        times = programs.demo_hub_times() if has_hub and not has_settings() else {}
        supervisor.start(programs.web_program(bind=bind, port=port, environment=times))
        supervisor.wait()
        self._print_greeting(bind, port, password)
        if not settings.SPARK_REMOTE:
            self._print_step("starting Spark")
            supervisor.start(prepare_spark(self._home, master=settings.SPARK_MASTER))
        for program in programs.worker_programs():
            supervisor.start(program)
        # The services connect to the console at a loopback address.
        if demo and self._start_demo(supervisor, demo, ground) and settings.IS_LOOPBACK:
            self._start_demo_services(supervisor, bind, port)
        supervisor.run(when_ready=lambda: self._print_greeting(bind, port, password))

    @staticmethod
    def _is_loaded_now(demo: "_Demo", ground: Ground) -> bool:
        return ground is Ground.EMPTY and demo.messages > 0

    def _start_demo(self, supervisor: Supervisor, demo: "_Demo", ground: Ground) -> bool:
        """
        Load the demo into a database without messages, and start its hub if there are no other messages.

        Returns:
            Whether the hub of the demo runs.
        """
        is_loaded_now = self._is_loaded_now(demo, ground)
        if is_loaded_now:
            self._print_step(f"loading a demo of {demo.messages} messages")
            supervisor.start(programs.demo_program(messages=demo.messages))
        if is_loaded_now or ground is Ground.DEMO:
            self._print_step(f"starting the demo's hub, which receives {demo.rate:g} messages a second")
            supervisor.start(programs.demo_hub_program(rate=demo.rate))
            return True
        return False

    def _start_demo_services(self, supervisor: Supervisor, bind: str, port: int) -> None:
        """
        Start the services that pull from the demo's CP queue. They use the console's API like any service.
        """
        token_file = preflight.services_token(self._home)
        for program in programs.demo_service_programs(bind=bind, port=port, token_file=token_file):
            supervisor.start(program)

    def _print_greeting(self, bind: str, port: int, password: str | None) -> None:
        host = programs.join_address(programs.WILDCARDS.get(bind, bind), port)
        hint = f"password {password}" if password else "with the password you gave it"
        self._print_step(
            f"Hub Console is at http://{host}/  user {preflight.ADMIN}  {hint}  (Ctrl-C stops it)"
        )

    def _print_step(self, text: str) -> None:
        self.stdout.write(f"{time.monotonic() - self._began:6.1f} s  {text}")
        self.stdout.flush()


def _parse_port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 1 to 65535")
    return int(text)


def _parse_count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of messages")
    return int(text)
