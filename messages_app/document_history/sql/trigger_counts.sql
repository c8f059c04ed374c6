-- Each count stops at the fence: one row more means "more than". The sort only makes the planner read an
-- index in this order; a scan would seem cheap if most rows belong to the trigger. For outcomes, the trigger
-- is a range condition; otherwise the planner may read those of all triggers by time.
SELECT own.trigger_id,
       (SELECT count(*) FROM (SELECT FROM document_history
                               WHERE trigger_id = own.trigger_id
                               ORDER BY trigger_id, time
                               LIMIT %(fence)s) AS fenced) AS stored,
       (SELECT count(*) FROM (SELECT FROM document_history
                               WHERE trigger_id = own.trigger_id
                                 AND time <= now() - make_interval(secs => own.history_ttl_seconds)
                               ORDER BY trigger_id, time
                               LIMIT %(fence)s) AS fenced) AS expired,
       (SELECT count(*) FROM (SELECT FROM document_open
                               WHERE trigger_id = own.trigger_id
                               ORDER BY trigger_id, time
                               LIMIT %(fence)s) AS fenced) AS undetermined,
       (SELECT time FROM document_open
         WHERE trigger_id = own.trigger_id
         ORDER BY trigger_id, time LIMIT 1) AS oldest_undetermined,
       (SELECT count(*) FROM (SELECT FROM document_history
                               WHERE trigger_id = own.trigger_id
                                 AND time >= now() - make_interval(hours => %(hours)s)
                                 AND status = 'processing'
                               ORDER BY trigger_id, time
                               LIMIT %(fence)s) AS fenced) AS started,
       (SELECT count(*) FROM (SELECT FROM document_outcome
                               WHERE (trigger_id, at) >= (own.trigger_id, now() - make_interval(hours => %(hours)s))
                                 AND trigger_id <= own.trigger_id
                                 AND status = 'DUPLICATE'
                               ORDER BY trigger_id, at
                               LIMIT %(fence)s) AS fenced) AS duplicates,
       (SELECT count(*) FROM (SELECT FROM document_outcome
                               WHERE (trigger_id, at) >= (own.trigger_id, now() - make_interval(hours => %(hours)s))
                                 AND trigger_id <= own.trigger_id
                                 AND status = 'IN_DOUBT'
                               ORDER BY trigger_id, at
                               LIMIT %(fence)s) AS fenced) AS in_doubt,
       (SELECT count(*) FROM (SELECT FROM document_in_doubt
                               WHERE trigger_id = own.trigger_id
                                 AND state = 'open'
                               ORDER BY trigger_id, state, in_doubt_id
                               LIMIT %(fence)s) AS fenced) AS open_doubts
  FROM document_trigger AS own
 WHERE own.trigger_id = ANY (%(trigger_ids)s)
