-- One row per chunk: messages with the roots of their families are written as items, in chunks of similar size and
-- whole families. A chunk has about `size` messages.
WITH placed AS (
  SELECT root_msg_id, msg_id, state, rank() OVER (ORDER BY root_msg_id) - 1 AS place, count(*) OVER () AS total
    FROM ({members}) AS member
), items AS (
  INSERT INTO job_item (job_id, msg_id, chunk_no, root_msg_id, old_state)
  SELECT %(job_id)s, msg_id, %(first_no)s + place * ceil(total / %(size)s::numeric)::bigint / total,
         root_msg_id, state
    FROM placed
  RETURNING chunk_no
)
INSERT INTO job_chunk (job_id, chunk_no, content, planned, outcomes, moved, versions)
SELECT %(job_id)s, chunk_no, %(content)s, count(*), '{{}}', '{{}}', '[]'
  FROM items
 GROUP BY chunk_no
