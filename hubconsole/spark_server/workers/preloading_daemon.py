"""
The process that Spark forks its Python workers from, with all modules of the console's tasks loaded.

Without it each worker loads them again, which takes one CPU second, and most jobs would start with that
because an idle worker ends after a minute. Spark starts this module by name (`server.py` above this folder).
It has only this folder on its path, because the console's other code reaches the workers with each session.
"""

import pandas  # noqa: F401 - by Spark, before any Arrow task
import psycopg  # noqa: F401
import pyarrow.compute
import pyarrow.parquet  # noqa: F401
from pyspark import worker  # noqa: F401
from pyspark.daemon import manager

if __name__ == "__main__":
    manager()
