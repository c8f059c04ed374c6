-- The position, if no other worker sends.
UPDATE audit_stream SET leased_until = statement_timestamp() + make_interval(secs => %(seconds)s)
 WHERE leased_until IS NULL OR leased_until < statement_timestamp()
RETURNING seal_id
