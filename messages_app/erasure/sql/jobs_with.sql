-- One row per job of which a text may hold the key: `in_json` is how it stands within a JSON text. As many jobs as
-- people and schedules have made.
SELECT job_id
  FROM job
 WHERE strpos(concat_ws(' ', filter::text, options::text, report::text), %(in_json)s) > 0
    OR strpos(concat_ws(' ', reason, error), %(key)s) > 0
 ORDER BY job_id
