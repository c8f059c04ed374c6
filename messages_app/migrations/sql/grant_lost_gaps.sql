-- Every part of the console may run `doctor`, which asks it.
GRANT EXECUTE ON FUNCTION lost_trigger_gaps() TO PUBLIC;
