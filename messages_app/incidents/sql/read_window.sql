-- One row: the first and the last minute to read, since 1970: up to `minutes` minutes before now, but not before failures
-- were counted; and whether the console was installed after the first one, so that earlier traffic may be unknown.
SELECT floor(extract(epoch FROM greatest(clock_timestamp() - make_interval(mins => %(minutes)s),
                                         least(started_at, (SELECT min(minute)
                                                              FROM failure_cell_minute
                                                             WHERE minute > '-infinity')))) / 60)::bigint,
       floor(extract(epoch FROM clock_timestamp()) / 60)::bigint,
       coalesce(history_read_at, clock_timestamp()) > clock_timestamp() - make_interval(mins => %(minutes)s)
  FROM incident_pass
