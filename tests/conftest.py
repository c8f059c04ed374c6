pytest_plugins = ["tests.servers", "tests.workers", "tests.hub", "tests.emptying", "tests.garbage"]
