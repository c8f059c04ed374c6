-- One row: how many messages the last jobs of a kind have done, and in how many seconds; NULLs where none has run.
-- What waited for a second person says nothing of how fast jobs are.
SELECT sum(messages)::float8, sum(seconds)::float8
  FROM (SELECT (SELECT sum(planned) FROM job_chunk WHERE job_chunk.job_id = last.job_id) AS messages,
               greatest(extract(epoch FROM finished_at - started_at), 1) AS seconds
          FROM (SELECT job_id, started_at, finished_at
                  FROM (SELECT * FROM job ORDER BY job_id DESC LIMIT %(looked_at)s) AS recent
                 WHERE kind = %(kind)s
                   AND state = %(done)s
                   AND NOT dry_run
                   AND rate IS NULL
                   AND NOT report ? 'approved_by'
                 ORDER BY job_id DESC
                 LIMIT %(jobs)s) AS last) AS measured
 WHERE messages > 0
