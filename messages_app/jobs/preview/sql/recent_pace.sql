-- One row: the number of messages that the last jobs of a kind have done, and the seconds in which at least one
-- of their chunks was being processed; NULLs if none has run. The start of Spark and the plan take the same
-- time for any number of messages, so they are left out, as are jobs with a rate of their own and jobs that
-- rested after a test batch.
WITH last AS MATERIALIZED (
  SELECT job_id
    FROM (SELECT * FROM job ORDER BY job_id DESC LIMIT %(looked_at)s) AS recent
   WHERE kind = %(kind)s
     AND state = %(done)s
     AND NOT dry_run
     AND rate IS NULL
     AND NOT options ? 'canary'
   ORDER BY job_id DESC
   LIMIT %(jobs)s),
     chunk AS MATERIALIZED (
  SELECT job_id, planned, began_at, committed_at
    FROM last
    JOIN job_chunk USING (job_id)
   WHERE began_at < committed_at),
     busy AS (
  SELECT unnest(range_agg(tstzrange(began_at, committed_at))) AS span FROM chunk GROUP BY job_id)
SELECT (SELECT sum(planned)::float8 FROM chunk),
       (SELECT extract(epoch FROM sum(upper(span) - lower(span)))::float8 FROM busy)
