"""`up` says what a program that is not ready does meanwhile."""

import socket

from hubconsole.devserver import programs
from messages_app.core.embedded_servers import find_free_port


class TestWeb:
    def test_starts_until_it_listens(self):
        web = programs.web_program(bind="127.0.0.1", port=find_free_port())

        assert web.describe() == "it is starting and does not listen yet"

    def test_loads_its_pages_until_it_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            web = programs.web_program(bind="127.0.0.1", port=listening.getsockname()[1])

            assert web.describe() == "it listens and is loading the pages"


class TestWorkers:
    def test_say_what_is_missing(self):
        waiting = {program.name: program.describe() for program in programs.worker_programs()}

        assert waiting["short-worker"] == "it has not answered a ping through the broker yet"
        assert waiting["beat"] == "it has not recorded a run in the database yet"
