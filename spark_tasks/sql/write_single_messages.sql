-- One row per chunk: the messages that a query returns are written as items, in chunks of similar size, each
-- message a family of its own. A chunk has at most `size` messages.
WITH placed AS (
  SELECT msg_id, state, row_number() OVER (ORDER BY msg_id) - 1 AS place, count(*) OVER () AS total
    FROM ({messages}) AS message
), items AS (
  INSERT INTO job_item (job_id, msg_id, chunk_no, root_msg_id, old_state)
  SELECT %(job_id)s, msg_id, %(first_no)s + place * ceil(total / %(size)s::numeric)::bigint / total, msg_id, state
    FROM placed
  RETURNING chunk_no
)
INSERT INTO job_chunk (job_id, chunk_no, content, planned, outcomes, moved, versions)
SELECT %(job_id)s, chunk_no, %(content)s, count(*), '{{}}', '{{}}', '[]'
  FROM items
 GROUP BY chunk_no
