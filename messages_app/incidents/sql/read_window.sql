-- One row: the first and the last minute to read, since 1970: up to `minutes` minutes before now, but not before failures
-- were counted.
SELECT floor(extract(epoch FROM greatest(clock_timestamp() - make_interval(mins => %(minutes)s),
                                         least(started_at, (SELECT min(minute)
                                                              FROM failure_cell_minute
                                                             WHERE minute > '-infinity')))) / 60)::bigint,
       floor(extract(epoch FROM clock_timestamp()) / 60)::bigint
  FROM incident_pass
