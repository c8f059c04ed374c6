-- One row: whether the table behind `message` has indexes of the console that are complete. attach/indexes.py names them.
SELECT EXISTS (SELECT
                 FROM pg_index
                 JOIN pg_class ON pg_class.oid = indexrelid
                WHERE indrelid = table_behind('message') AND indisvalid AND starts_with(relname, 'hubc_'))
