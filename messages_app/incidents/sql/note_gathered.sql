-- Notes that the rule has read all failures that were counted up to a number.
UPDATE incident_pass
   SET gathered = %(counted)s, gathered_at = clock_timestamp()
 WHERE gathered < %(counted)s
