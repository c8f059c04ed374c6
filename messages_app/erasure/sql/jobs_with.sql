-- One row per job with a text that may contain the key. `in_json` is the key as it is written within JSON.
-- Reads all jobs.
SELECT job_id
  FROM job
 WHERE strpos(concat_ws(' ', filter::text, options::text, report::text), %(in_json)s) > 0
    OR strpos(concat_ws(' ', reason, error), %(key)s) > 0
 ORDER BY job_id
