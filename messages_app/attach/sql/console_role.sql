-- One row: the role that owns the console's schema, and so the views.
SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = %(schema)s
