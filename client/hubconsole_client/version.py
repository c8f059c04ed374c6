from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("hubconsole-client")
except PackageNotFoundError:  # not installed
    VERSION = "0"
