-- The responses, of the given ids, with a time that no Parquet file can keep, as in unkept_orphan_requests.
SELECT res_id
  FROM response
 WHERE res_id = ANY (%(ids)s)
   AND isfinite(res_timestamp)
   AND (res_timestamp < '0001-01-02Z' OR res_timestamp >= '9999-12-31Z')
