-- The message of the document that another one answers: msg_id and process_id, or no row.
-- Buyers give an order's id out again; then one issued before its answer is preferred, then one between the
-- same two parties, then the newest. What only answers is never answered itself.
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
