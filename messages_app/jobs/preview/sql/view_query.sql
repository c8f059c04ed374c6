-- One row: the query of a view of one table, which ends with this table; NULL for a table.
SELECT CASE WHEN table_behind(%(table)s) <> to_regclass(%(table)s)
            THEN rtrim(pg_get_viewdef(to_regclass(%(table)s)), ';') END
