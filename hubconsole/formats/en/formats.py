"""How the framework's own pages write and take times: as all others, in 24 hours with seconds and zone."""

DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "Y-m-d H:i:s T"

# The first of each is also how a form shows its value.
DATE_INPUT_FORMATS = ["%Y-%m-%d"]
TIME_INPUT_FORMATS = ["%H:%M:%S", "%H:%M"]
DATETIME_INPUT_FORMATS = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]
