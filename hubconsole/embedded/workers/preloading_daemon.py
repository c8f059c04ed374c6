"""
The process that Spark forks its Python workers from, with all modules loaded that the console's tasks need.

Left to itself each worker loads that again, which takes a second of a core; and it ends after a minute
without work, so that most jobs would begin with it. Spark starts this by name (hubconsole/embedded/spark.py):
it has this folder on its path, and nothing else of ours, for code reaches the workers with each session.
"""

import pandas  # noqa: F401 - by Spark, before any Arrow task
import psycopg  # noqa: F401
import pyarrow.compute
import pyarrow.parquet  # noqa: F401
from pyspark import worker  # noqa: F401
from pyspark.daemon import manager

if __name__ == "__main__":
    manager()
