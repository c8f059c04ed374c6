-- One row per changed message of the given ids: its id, its previous state, and the version of its row. Its state
-- allows the action, and is the one that the caller saw, if it names one. A job acts on messages that it holds; others
-- act on no message that an active job has not processed yet. Rows are locked first, one by one in the order of ids.
-- With `spares_resent`, a message that was corrected and resent stays as it is (state_changes.py locks it before).
-- A restart also sets the time of the last processing (the stamp: messages_app/shared/state_changes.py).
UPDATE message
   SET state = %(to_state)s{stamp}
  FROM (SELECT msg_id, state
          FROM unnest(%(ids)s::bigint[], %(states)s::text[]) AS asked (msg_id, state)
         WHERE state IS NULL OR state = ANY (%(allowed)s)
         ORDER BY msg_id) AS asked
 CROSS JOIN LATERAL (SELECT message.msg_id, message.state
                       FROM message
                      WHERE message.msg_id = asked.msg_id
                        AND message.state = ANY (%(allowed)s)
                        AND (asked.state IS NULL OR asked.state = message.state)
                        AND (%(of_job)s OR job_holding(message.msg_id) IS NULL)
                        AND NOT (%(spares_resent)s AND EXISTS (SELECT FROM resent_message AS resent
                                                                WHERE resent.original_id = message.msg_id))
                        FOR NO KEY UPDATE) AS locked
 WHERE message.msg_id = locked.msg_id
RETURNING message.msg_id, locked.state, message.xmin::text
