-- Makes the partitions for the months of some times, if they are missing.
SELECT make_business_key_month(month)
  FROM (SELECT DISTINCT date_trunc('month', receive_timestamp, 'UTC') AS month
          FROM unnest(%(times)s::timestamptz[]) AS given (receive_timestamp)) AS months
