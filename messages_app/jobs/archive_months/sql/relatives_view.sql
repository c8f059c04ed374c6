-- One row: the query of the view of archived families.
SELECT pg_get_viewdef('archived_relative'::regclass)
