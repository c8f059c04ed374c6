-- One row: whether this role has the console's schema, or may create it.
SELECT coalesce((SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = %(schema)s),
                has_database_privilege(current_database(), 'CREATE'))
