-- Like found_live.sql, for messages in Parquet files, by the columns of the manifest.
SELECT msg_id
  FROM ((SELECT msg_id FROM cold_message
          WHERE object_id = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM cold_message
          WHERE process_id = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM cold_message
          WHERE funnel_value = %(key)s AND msg_id >= %(first)s ORDER BY msg_id LIMIT %(most)s)
        UNION
        (SELECT msg_id FROM cold_message WHERE correlation_id = %(key)s AND msg_id >= %(first)s)) AS found
 ORDER BY msg_id
 LIMIT %(most)s
