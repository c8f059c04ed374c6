-- Stores a profile: no row if it has another version meanwhile.
INSERT INTO participant_profile (kind, name, owner, runbook, within_seconds, within_step, within_share, failed_share,
                                 version)
VALUES (%(kind)s, %(name)s, %(owner)s, %(runbook)s, %(within_seconds)s, %(within_step)s, %(within_share)s,
        %(failed_share)s, 1)
ON CONFLICT (kind, name) DO UPDATE
   SET owner = excluded.owner,
       runbook = excluded.runbook,
       within_seconds = excluded.within_seconds,
       within_step = excluded.within_step,
       within_share = excluded.within_share,
       failed_share = excluded.failed_share,
       version = participant_profile.version + 1,
       changed_at = clock_timestamp()
 WHERE participant_profile.version::text = %(version)s
