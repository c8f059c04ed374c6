"""A mail server on this machine that keeps what it gets."""

from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread


class MailServer(ThreadingTCPServer):
    """
    Stores messages in `messages`.

    Args:
        refuses: it refuses each recipient, with 550.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Smtp)
        self.messages: list[Message] = []
        self.refuses = False


class _Smtp(StreamRequestHandler):
    """As much of a mail server as takes a message."""

    server: MailServer

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"RCPT" and self.server.refuses:
                self.wfile.write(b"550 no such mailbox\r\n")
                continue
            if word == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.messages.append(message_from_bytes(b"".join(lines)))
            self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 fine\r\n")


@contextmanager
def receive_mails(settings) -> Iterator[MailServer]:
    """Run a mail server, and let the console send its mails to it."""
    server = MailServer()
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
    settings.IS_MAIL_SET_UP = True
    yield server
    server.shutdown()
    server.server_close()
