-- One row per member of the families of a query's messages without a parent, if all members may move. Children are
-- looked up one message at a time, by message_parent_idx: a join might read the whole table.
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
)
SELECT root_msg_id, msg_id, state
  FROM judged
 WHERE is_whole
