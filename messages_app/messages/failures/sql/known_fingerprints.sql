-- One row for each of these fingerprints that a group has.
SELECT fingerprint FROM failure_group WHERE fingerprint = ANY (%(fingerprints)s)
