-- Like found_live.sql, for messages in the archive tables.
SELECT msg_id
  FROM ((SELECT msg_id FROM archive_message
          WHERE object_id = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM archive_message
          WHERE process_id = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM archive_message
          WHERE funnel_value = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM archive_message WHERE correlation_id = %(key)s AND msg_id >= %(first)s)
        UNION
        (SELECT msg_id FROM archive_funnel
          WHERE funnel_value = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM archive_external_call WHERE entity_id = %(key)s AND msg_id >= %(first)s)) AS found
 ORDER BY msg_id
 LIMIT %(most)s
