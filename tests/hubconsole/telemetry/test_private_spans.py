import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, Tracer

from hubconsole.telemetry.private_spans import PrivateSpans, mask_statement

SECRET = "secret-of-ada"


class PrivateMemory(PrivateSpans, InMemorySpanExporter):
    pass


@pytest.fixture
def sent() -> PrivateMemory:
    return PrivateMemory()


@pytest.fixture
def tracer(sent: PrivateMemory) -> Tracer:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(sent))
    return provider.get_tracer("tests")


class TestMaskStatement:
    @pytest.mark.parametrize(
        ("statement", "masked"),
        [
            ("SELECT a FROM b WHERE c = %(c)s AND d = %s", "SELECT a FROM b WHERE c = %(c)s AND d = %s"),
            ("SELECT 'secret', 'it''s secret', 7, 1.5e3", "SELECT ?, ?, ?, ?"),
            ("SELECT E'it\\'s secret', b'01', U&'secret'", "SELECT ?, ?, U&?"),
            ("SELECT $$secret$$, $tag$it's $$ secret$tag$", "SELECT ?, ?"),
            ("-- the hub's rows\nSELECT 'secret'", "SELECT ?"),
            ("/* the hub's */ SELECT 'secret'", "SELECT ?"),
            ("SELECT \"it's\" FROM t1 WHERE x = 'secret'", 'SELECT "it\'s" FROM t1 WHERE x = ?'),
            ("SELECT 'secret which is cut off", "SELECT ?"),
            ("UPDATE t SET x = -12 WHERE id = $1", "UPDATE t SET x = -? WHERE id = $?"),
        ],
    )
    def test_replaces_values_and_keeps_names(self, statement, masked):
        assert mask_statement(statement) == masked

    def test_is_short(self):
        assert len(mask_statement("SELECT a, " * 10_000)) == 2000


class TestPrivateSpans:
    def test_sends_only_attributes_of_its_list(self, tracer, sent):
        attributes = {
            "http.route": "keys/<value>/",
            "http.response.status_code": 200,
            "url.path": f"/keys/{SECRET}/",
            "url.query": SECRET,
            "client.address": "203.0.113.7",
            "user_agent.original": SECRET,
        }
        with tracer.start_as_current_span("GET", kind=SpanKind.SERVER, attributes=attributes):
            pass
        (span,) = sent.get_finished_spans()
        assert dict(span.attributes) == {"http.route": "keys/<value>/", "http.response.status_code": 200}

    def test_sends_the_type_of_an_error_without_its_text(self, tracer, sent):
        with pytest.raises(ValueError, match=SECRET), tracer.start_as_current_span("run"):
            raise ValueError(SECRET)
        (span,) = sent.get_finished_spans()
        assert [dict(event.attributes) for event in span.events] == [{"exception.type": "ValueError"}]
        assert (span.status.is_ok, span.status.description) == (False, None)

    def test_names_a_statement_by_its_first_word(self, tracer, sent):
        attributes = {"db.system.name": "postgresql", "db.query.text": "-- Why.\nUPDATE t SET x = 'secret'"}
        with tracer.start_as_current_span("run"):
            tracer.start_span("--", kind=SpanKind.CLIENT, attributes=attributes).end()
        statement, _ = sent.get_finished_spans()
        assert statement.name == "UPDATE"
        assert statement.attributes["db.query.text"] == "UPDATE t SET x = ?"

    def test_leaves_out_statements_of_no_request_or_task(self, tracer, sent):
        tracer.start_span("UPDATE", kind=SpanKind.CLIENT).end()
        assert sent.get_finished_spans() == ()
