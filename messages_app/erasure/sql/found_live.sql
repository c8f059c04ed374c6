-- The ids of live messages that match the key, from `first` on: by any column that names a subject, each by
-- its index.
SELECT msg_id
  FROM ((SELECT msg_id FROM message WHERE object_id = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM message WHERE process_id = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM message WHERE funnel_value = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM message WHERE correlation_id = %(key)s AND msg_id >= %(first)s)
        UNION
        (SELECT msg_id FROM funnel WHERE funnel_value = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT made.msg_id
           FROM unnest(%(operations)s::text[]) AS known (operation_name)
          CROSS JOIN LATERAL (SELECT msg_id
                                FROM external_call
                               WHERE external_call.operation_name = known.operation_name
                                 AND external_call.entity_id = %(key)s) AS made
          WHERE made.msg_id >= %(first)s)) AS found
 ORDER BY msg_id
 LIMIT %(most)s
