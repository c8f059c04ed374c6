-- The oldest failures that are in no group yet, with the sender of the message, and the address of the last request
-- without an answer or with a failed one, else the name of the last failed external call. Failures that are committed later are
-- read by the next call. A text with a URL names the system itself. The hub's tables are read row by row, and requests
-- and calls only where an index finds them.
SELECT waiting.failure_id, least(waiting.at, clock_timestamp()) AS at, waiting.service_name, waiting.operation_name,
       waiting.failed_error_code, waiting.text, coalesce(live.source_system, '') AS source_system,
       coalesce(request.uri, call.operation_name, '') AS address
  FROM (SELECT failure_id, msg_id, at, service_name, operation_name, failed_error_code, text
          FROM new_failure
         ORDER BY failure_id
         LIMIT %(most)s) AS waiting
  LEFT JOIN LATERAL (SELECT message.source_system
                       FROM message
                      WHERE message.msg_id = waiting.msg_id
                      LIMIT 1) AS live ON true
  LEFT JOIN LATERAL (SELECT request.uri
                       FROM request
                      WHERE request.msg_id = waiting.msg_id
                        AND %(has_indexes)s
                        AND strpos(waiting.text, '://') = 0
                        AND coalesce((SELECT response.failed
                                        FROM response
                                       WHERE response.req_id = request.req_id
                                       ORDER BY response.res_id DESC
                                       LIMIT 1), true)
                      ORDER BY request.req_id DESC
                      LIMIT 1) AS request ON true
  LEFT JOIN LATERAL (SELECT external_call.operation_name
                       FROM external_call
                      WHERE external_call.msg_id = waiting.msg_id
                        AND %(has_indexes)s
                        AND request.uri IS NULL
                        AND strpos(waiting.text, '://') = 0
                        AND external_call.state IN ('FAILED', 'FAILED_END')
                      ORDER BY external_call.call_id DESC
                      LIMIT 1) AS call ON true
 ORDER BY waiting.failure_id
