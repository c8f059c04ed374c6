-- One row: the number of messages that the last jobs of a kind have done, and the seconds that they took;
-- NULLs if none has run. Jobs that waited for a second person are left out, because their duration does not
-- show their speed.
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
