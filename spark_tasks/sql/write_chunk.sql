-- One row: a chunk of the plan.
INSERT INTO job_chunk (job_id, chunk_no, content, planned, orphan_ids, outcomes, moved, versions)
VALUES (%(job_id)s, %(chunk_no)s, %(content)s, %(planned)s, %(orphan_ids)s, %(outcomes)s, '{}', '[]')
