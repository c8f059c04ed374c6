UPDATE audit_stream SET leased_until = NULL, error = '', failing_since = NULL
