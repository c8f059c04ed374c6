-- How many entries a time to live would expire immediately, up to the fence; sorted as in trigger_counts.
SELECT count(*)
  FROM (SELECT
          FROM document_history
         WHERE trigger_id = %(trigger_id)s
           AND time <= now() - make_interval(secs => %(ttl_seconds)s)
         ORDER BY trigger_id, time
         LIMIT %(fence)s) AS fenced
