-- One row: the time of the last pass, or of the last poll if it is older, and its age in seconds; NULL before the first
-- pass.
SELECT at, extract(epoch FROM clock_timestamp() - at)
  FROM (SELECT least(max(done_at), (SELECT polled_at FROM polling)) AS at
          FROM rollup_pass
         WHERE name = 'fold') AS last
