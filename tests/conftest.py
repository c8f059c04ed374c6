pytest_plugins = [
    "tests.servers",
    "tests.workers",
    "tests.hub",
    "tests.plans",
    "tests.emptying",
    "tests.drawing",
    "tests.garbage",
    "tests.static_files",
    "tests.hashing",
]
