-- One row per message that is resent: its id, its state, and the id of the new message. Its state allows it and is the
-- one that the caller saw, if it names one, and it was not resent before. A job acts on messages that it holds; others
-- act on no message that an active job has not processed yet. Rows are locked first, one by one in the order of ids: a
-- statement that waits for a lock sees the new state, and the key of the link admits each message once.
WITH locked AS MATERIALIZED (
  SELECT locked.msg_id, locked.state
    FROM (SELECT msg_id, state
            FROM unnest(%(ids)s::bigint[], %(states)s::text[]) AS asked (msg_id, state)
           ORDER BY msg_id) AS asked
   CROSS JOIN LATERAL (SELECT message.msg_id, message.state
                         FROM message
                        WHERE message.msg_id = asked.msg_id
                          AND message.state = ANY (%(allowed)s)
                          AND (asked.state IS NULL OR asked.state = message.state)
                          AND (%(of_job)s OR job_holding(message.msg_id) IS NULL)
                          FOR NO KEY UPDATE) AS locked
), linked AS (
  INSERT INTO resent_message (original_id, msg_id, job_id)
  SELECT locked.msg_id, next_hub_id(), %(job_id)s
    FROM locked
  ON CONFLICT (original_id) DO NOTHING
  RETURNING original_id, msg_id
)
SELECT linked.original_id, locked.state, linked.msg_id
  FROM linked
  JOIN locked ON locked.msg_id = linked.original_id
 ORDER BY linked.original_id
