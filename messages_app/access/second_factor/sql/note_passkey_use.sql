-- A device that counts must count on: otherwise there is a copy of its key. Devices that do not count report 0.
UPDATE passkey
   SET sign_count = %(sign_count)s, last_used_at = statement_timestamp()
 WHERE passkey_id = %(passkey_id)s
   AND (sign_count < %(sign_count)s OR (sign_count = 0 AND %(sign_count)s = 0))
