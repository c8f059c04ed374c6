import pytest

from hubconsole.arrivals import BUFFER_BYTES, Progress, progress_of

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"


class TestProgressOf:
    @pytest.mark.parametrize(
        ("received", "progress"),
        [
            (b"", Progress.PARTIAL),
            (b"GET / HT", Progress.PARTIAL),
            (HEAD, Progress.PARTIAL),
            (HEAD + b"\r", Progress.PARTIAL),
            (HEAD + b"\r\n", Progress.WHOLE),
            (HEAD + b"Content-Length: 2\r\n\r\n", Progress.PARTIAL),
            (HEAD + b"Content-Length: 2\r\n\r\na", Progress.PARTIAL),
            (HEAD + b"content-length :2\r\n\r\nab", Progress.WHOLE),
            (HEAD + b"Content-Length: 2\r\n\r\nabGET", Progress.WHOLE),
            (HEAD + b"Content-Length: 0\r\n\r\n", Progress.WHOLE),
            (HEAD + b"Content-Length: -1\r\n\r\n", Progress.WHOLE),
            (HEAD + b"Content-Length: 0000000000000000002\r\n\r\n", Progress.PARTIAL),
            (HEAD + b"Content-Length: 9999999999999999999\r\n\r\n", Progress.LARGE),
            (HEAD + b"Content-Length: 65536\r\n\r\n", Progress.PARTIAL),
            (HEAD + b"Content-Length: 65537\r\n\r\n", Progress.LARGE),
            (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", Progress.LARGE),
            (HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", Progress.LARGE),
            (HEAD + b"X: Content-Length: 2\r\n\r\n", Progress.WHOLE),
            (b"nonsense\r\n\r\n", Progress.WHOLE),
            (b"G" * 8191, Progress.PARTIAL),
            (b"G" * 8192, Progress.WHOLE),
            (HEAD + b"X: y\r\n" * 5000, Progress.PARTIAL),
            (HEAD + b"X: y\r\n" * 20000, Progress.WHOLE),
        ],
    )
    def test_names_what_a_thread_would_wait_for(self, received, progress):
        assert progress_of(received) is progress
        assert BUFFER_BYTES == 65536
