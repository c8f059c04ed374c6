-- The time of the database and the ids of the jobs of a person that ended since a moment, or wait for a person now,
-- newest first. An end is committed after its time, so the reader overlaps the moments. Served by job_finished_idx,
-- job_paused_idx and job_undecided_idx.
SELECT statement_timestamp(),
       ARRAY(SELECT job_id
               FROM job
              WHERE finished_at > greatest(%(since)s - make_interval(secs => %(overlap_s)s),
                                           statement_timestamp() - make_interval(secs => %(longest_s)s))
                AND creator_id = %(user_id)s
              ORDER BY finished_at DESC
              LIMIT %(most)s)
       || ARRAY(SELECT job_id
                  FROM job
                 WHERE state = 'paused'
                   AND paused_for = %(undecided)s
                   AND creator_id = %(user_id)s
                 ORDER BY paused_at DESC
                 LIMIT %(most)s)
       || ARRAY(SELECT job_id
                  FROM job
                 WHERE state = 'planned'
                   AND paused_for = 'second_person'
                   AND creator_id = %(user_id)s
                 ORDER BY paused_at DESC
                 LIMIT %(most)s)
