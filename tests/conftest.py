pytest_plugins = [
    "tests.support.servers",
    "tests.support.workers",
    "tests.support.hub",
    "tests.support.plans",
    "tests.support.emptying",
    "tests.support.drawing",
    "tests.support.garbage",
    "tests.support.static_files",
    "tests.support.hashing",
    "tests.support.first_answers",
    "tests.support.menu_numbers",
    "tests.support.migrating",
]
