DELETE FROM cp_lost_pickup
 WHERE hour < clock_timestamp() - %(days)s * interval '1 day'
