UPDATE audit_stream
   SET leased_until = NULL, error = %(error)s, failing_since = coalesce(failing_since, statement_timestamp())
