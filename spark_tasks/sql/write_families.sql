-- One row per chunk: the families of a query's messages without a parent are written as items, if all members
-- may move. A chunk has about `size` messages and whole families. Children are looked up one message at a time,
-- by message_parent_idx: a join might read the whole table.
WITH RECURSIVE family AS (
  SELECT msg_id AS root_msg_id, msg_id, state, true AS may_go
    FROM ({messages}) AS head
   WHERE parent_msg_id IS NULL
   UNION ALL
  SELECT root_msg_id, child.msg_id, child.state, child.may_go
    FROM family
   CROSS JOIN LATERAL (
           SELECT msg_id, state,
                  state = ANY (%(final_states)s)
                  AND coalesce(last_process_timestamp, receive_timestamp) < %(cutoff)s
                  AND msg_id <= %(last_msg_id)s AS may_go
             FROM message
            WHERE parent_msg_id = family.msg_id
           OFFSET 0) AS child
), judged AS (
  SELECT root_msg_id, msg_id, state, bool_and(may_go) OVER (PARTITION BY root_msg_id) AS is_whole
    FROM family
), placed AS (
  SELECT root_msg_id, msg_id, state, count(*) OVER () AS total,
         row_number() OVER (ORDER BY root_msg_id, msg_id)
         - row_number() OVER (PARTITION BY root_msg_id ORDER BY msg_id) AS place
    FROM judged
   WHERE is_whole
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
