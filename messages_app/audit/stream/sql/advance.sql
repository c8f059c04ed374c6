UPDATE audit_stream SET seal_id = %(after)s, sent_at = statement_timestamp(), error = '', failing_since = NULL
 WHERE seal_id = %(before)s
