-- One row per archive table that can have a row twice: its name, and whether an index finds its rows by message.
-- No rows if the database has no procedure of a hub that archives.
SELECT name,
       EXISTS (SELECT
                 FROM pg_index
                 JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                WHERE indrelid = name::regclass
                  AND attname = 'msg_id'
                  AND indisvalid
                  AND indpred IS NULL)
  FROM unnest(%(archives)s::text[], %(keys)s::text[]) AS archive (name, key)
 WHERE EXISTS (SELECT FROM pg_proc WHERE proname = 'archive_records')
   AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = name::regclass AND attname = 'msg_id')
   AND NOT EXISTS (SELECT
                     FROM pg_index
                     JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                    WHERE indrelid = name::regclass
                      AND attname = key
                      AND indisunique
                      AND indisvalid
                      AND indnkeyatts = 1
                      AND indpred IS NULL)
