UPDATE person_settings
   SET pins = array_remove(pins, %(address)s::varchar)
 WHERE user_id = %(user_id)s AND %(address)s::varchar = ANY (pins)
RETURNING pins
