-- One row per open document in doubt that is not counted since its last delivery, of the newest `fence` ones: its key and
-- the columns of a failure.
SELECT doubt.in_doubt_id::text, doubt.last_received_at, doubt.trigger_id, doubt.document_name, '', doubt.rule,
       coalesce(nullif(doubt.message, ''), 'In doubt: ' || doubt.rule)
  FROM (SELECT in_doubt_id, last_received_at, trigger_id, document_name, rule, message
          FROM document_in_doubt
         WHERE state = 'open'
         ORDER BY in_doubt_id DESC
         LIMIT %(fence)s) AS doubt
 WHERE NOT EXISTS (SELECT
                     FROM failure_item
                    WHERE failure_item.store = %(store)s
                      AND failure_item.item_key = doubt.in_doubt_id::text
                      AND failure_item.at >= doubt.last_received_at)
 LIMIT %(most)s
