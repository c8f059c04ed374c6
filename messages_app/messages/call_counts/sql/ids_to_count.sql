-- The ids of calls to compare, each with the name of its reading, by primary keys: calls after the highest known one, the
-- last ones before it, calls of transactions that may have committed late, and the next part of the calls that have not
-- succeeded.
(SELECT 'new' AS reading, call_id AS id, NULL::bigint AS msg_id
   FROM external_call WHERE call_id > %(front)s ORDER BY call_id LIMIT %(most)s)
UNION ALL
(SELECT 'recent', call_id, NULL
   FROM external_call WHERE call_id <= %(front)s AND call_id > %(safe)s ORDER BY call_id DESC LIMIT %(recent)s)
UNION ALL
(SELECT 'late', call_id, NULL
   FROM external_call WHERE call_id > %(safe)s AND call_id <= %(late_until)s ORDER BY call_id LIMIT %(most)s)
UNION ALL
(SELECT 'open', call_id, NULL
   FROM counted_call WHERE NOT state = 'OK' AND call_id > %(watched)s ORDER BY call_id LIMIT %(open)s)
