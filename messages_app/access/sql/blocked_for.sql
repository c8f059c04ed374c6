SELECT max(ceil(extract(epoch FROM blocked_until - clock_timestamp())))::int
  FROM login_failure
 WHERE subject = ANY (%(subjects)s) AND blocked_until > clock_timestamp()
