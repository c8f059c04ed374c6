-- One row per message of the given ids and address that it has sent requests to: the address, and the id of
-- the message. Up to `most` requests of each message are read.
SELECT DISTINCT sent.uri, sent.msg_id
  FROM unnest(%(ids)s::bigint[]) AS chosen (id)
 CROSS JOIN LATERAL (SELECT msg_id, uri
                       FROM request
                      WHERE request.msg_id = chosen.id
                      ORDER BY msg_id, req_id
                      LIMIT %(most)s) AS sent
