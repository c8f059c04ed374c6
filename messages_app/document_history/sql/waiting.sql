-- How many entries of each trigger wait for the sweeper, up to the fence; sorted as in trigger_counts.
SELECT own.name, counted.entries
  FROM (SELECT trigger_id, name, history_ttl_seconds
          FROM document_trigger
         ORDER BY name
         LIMIT %(most)s) AS own,
       LATERAL (SELECT count(*) AS entries
                  FROM (SELECT
                          FROM document_history
                         WHERE trigger_id = own.trigger_id
                           AND time <= now() - make_interval(secs => own.history_ttl_seconds)
                         ORDER BY trigger_id, time
                         LIMIT %(fence)s) AS fenced) AS counted
 WHERE counted.entries > 0
 ORDER BY own.name
