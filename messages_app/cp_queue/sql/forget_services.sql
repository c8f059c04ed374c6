-- Services that have not polled for long and hold nothing.
DELETE FROM cp_service AS known
 WHERE known.last_poll < clock_timestamp() - %(days)s * interval '1 day'
   AND NOT EXISTS (SELECT FROM oscpmqueue AS message WHERE message.lock_service = known.service)
