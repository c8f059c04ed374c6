-- The newest call of each message that has not ended, among its last calls.
SELECT own.msg_id, own.operation_name, own.creation_timestamp
  FROM unnest(%(msg_ids)s::bigint[]) AS wanted (msg_id)
 CROSS JOIN LATERAL (SELECT last.msg_id, last.operation_name, last.creation_timestamp
                       FROM (SELECT msg_id, call_id, operation_name, creation_timestamp, state
                               FROM external_call
                              WHERE external_call.msg_id = wanted.msg_id
                              ORDER BY call_id DESC
                              LIMIT %(last)s) AS last
                      WHERE last.state = 'PROCESSING'
                        AND last.operation_name <> 'confirmation'
                      ORDER BY last.call_id DESC
                      LIMIT 1) AS own
