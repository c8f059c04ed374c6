-- One row: a file of a part.
INSERT INTO cold_file (part_id, table_name, path, rows, first_id, last_id, bytes, sha256)
VALUES (%(part_id)s, %(table_name)s, %(path)s, %(rows)s, %(first_id)s, %(last_id)s, %(bytes)s, %(sha256)s)
