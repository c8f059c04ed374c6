-- The message of the document that another one answers: msg_id and process_id, or no row.
-- Buyers reuse the ids of orders. Then a document issued before its answer is preferred, then one between the same two
-- parties, then the newest. Messages that only answer are never answered themselves.
SELECT msg_id, process_id
  FROM message
 WHERE object_id = %(object_id)s
   AND source_system = %(source_system)s
   AND operation_name <> 'ApplicationResponse'
   AND (cardinality(%(operation_names)s::text[]) = 0 OR operation_name = ANY (%(operation_names)s::text[]))
 ORDER BY coalesce(msg_timestamp <= %(issued_until)s::timestamptz, true) DESC,
          (process_id IS NOT DISTINCT FROM %(process_id)s::text) DESC,
          msg_timestamp DESC,
          msg_id DESC
 LIMIT 1
