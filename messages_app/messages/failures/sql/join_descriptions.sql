-- One row: the group that has the identity of an older group. It takes over what people wrote about the older one: owner
-- and ticket if it has none, and all of it as a line of its note.
UPDATE failure_group AS kept
   SET owner = CASE WHEN kept.owner = '' THEN old.owner ELSE kept.owner END,
       ticket = CASE WHEN kept.ticket = '' THEN old.ticket ELSE kept.ticket END,
       note = CASE
                WHEN old.owner = '' AND old.ticket = '' AND old.note = '' THEN kept.note
                ELSE left(concat_ws(E'\n', nullif(kept.note, ''),
                                    concat_ws('; ', 'From group ' || old.group_id, nullif(old.owner, ''),
                                              nullif(old.ticket, ''), nullif(old.note, ''))), 20000)
              END
  FROM failure_group AS old
 WHERE old.group_id = %(group_id)s
   AND kept.fingerprint = %(fingerprint)s
RETURNING kept.group_id
