-- One row: the id of a new part of the archive.
INSERT INTO cold_part (job_id, chunk_no, content, month, kept, restored_ids)
VALUES (%(job_id)s, %(chunk_no)s, %(content)s, %(month)s, %(kept)s, '[]')
RETURNING part_id
