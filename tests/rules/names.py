"""
Counts names of the product that docs/contributing/style.md, "Names", does not allow; a part of `make check`.

`python -m tests.rules.names messages_app/core` prints the names of a package.
"""

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.rules.allowed import PREDICATES

ROOT = Path(__file__).resolve().parent.parent.parent

# Methods that Django, REST framework, jsonschema, Celery, Spark, hatchling, logging, or Python's protocols of
# files, dates and mappings ask for.
_OF_FRAMEWORKS = re.compile(
    r"acquire|add|append|astimezone|authenticate|check|clean|clear|close|connect|copy|create|"
    r"delete|descend|dispatch|dump|execute|exists|export|filter|finalize|find|flush|format|formatException|"
    r"formatMessage|get|handle|initial|initialize|isoformat|items|keys|list|load|login|lookups|logout|mapInArrow|"
    r"nowfunc|open|options|patch|pop|post|put|queryset|read|readable|readinto|ready|release|remove|render|"
    r"replace|reset|run|save|seekable|send|setup|start|stop|strftime|sync|timestamp|"
    r"tell|tick|tzname|union|update|validate|values|wait|writable|write"
)
# Methods and closures whose object is their instance, or the function around them.
_VERBS = re.compile(
    r"abandon|analyze|begin|cancel|collect|count|describe|enqueue|fail|fill|"
    r"finish|forget|grant|insert|judge|leave|move|parse|plan|postpone|preview|record|"
    r"register|report|resume|retry|revoke|seal|step|sweep|unregister|work"
)
# A function that returns a bool is a predicate, unless it does something and returns whether it did that, or
# reads a value that is a bool. Such a function begins with its verb.
_PREDICATE = re.compile("(?:is|has|may)_.+")
_DOES = re.compile(
    "(?:abandon|add|adopt|ask|attempt|beat|begin|cancel|change|claim|complete|connect|delete|drop|end|fold|forget|"
    "grant|insert|keep|load|lock|mark|mask|move|note|overwrite|partition|pass|pause|play|put|release|remove|"
    "renew|rest|save|scan|send|set|sleep|start|stop|store|switch|take|try|update|wait|warm|write)_.+"
)
_READS_FLAG = re.compile("(?:get|parse|read)_.+")
_BOOL = re.compile(r"bool|Type(?:Guard|Is)\[.+\]")
_PARTICIPLE = re.compile(
    "_?(?:asked|beside|found|given|kept|known|said|seen|shown|taken|there|told|wanted)_?"
)
_MAKES_COLUMN = re.compile(r"(?:serializers|models)\.|\w+(?:Field|Serializer)$")
_LIMIT = re.compile(r"_?(?:MOST|LONGEST|LARGEST|LEAST|FEWEST|SHORTEST)(?:_[A-Z_0-9]+)?")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_FOLDERS = ("benchmarks", "client", "hubconsole", "messages_app", "spark_tasks")
# Celery looks for this module by its name.
_MODULES_OF_FRAMEWORKS = frozenset({"hubconsole/celery.py"})
# A module of the standard library, and the name of the field for a module that reads rows.
_CONVENTIONAL = frozenset({"selectors"})


@dataclass(frozen=True, kw_only=True)
class Names:
    """
    Names to replace, by rule; each with its place.

    Args:
        bare_words: functions of one word, by package: a verb needs its object.
        participles: variables and parameters, by package: a variable is a noun.
        predicates: functions that only answer yes or no, without `is_`, `has_` or `may_`, by package.
        limits: constants whose prefix is not `MAX_` or `MIN_`.
        modules: modules that are named as their package, as a builtin or as an imported library.
    """

    bare_words: dict[str, list[str]]
    participles: dict[str, list[str]]
    predicates: dict[str, list[str]]
    limits: list[str]
    modules: list[str]


def find_names(root: Path) -> Names:
    """Search the product below a folder. Migrations are history and are not searched."""
    paths = [path for folder in _FOLDERS for path in sorted((root / folder).rglob("*.py"))]
    trees = {
        str(path.relative_to(root)): ast.parse(path.read_text(encoding="utf-8"))
        for path in paths
        if "migrations" not in path.parts
    }
    libraries = {
        name
        for path, tree in trees.items()
        if not path.startswith(("benchmarks/", "client/"))
        for name in _imported_libraries(tree)
    }
    packages = sorted({_package_of(path) for path in trees})
    bare_words: dict[str, list[str]] = {package: [] for package in packages}
    participles: dict[str, list[str]] = {package: [] for package in packages}
    predicates: dict[str, list[str]] = {package: [] for package in packages}
    limits: list[str] = []
    for path, tree in trees.items():
        bare_words[_package_of(path)] += [f"{path}: {name}" for name in find_bare_words(tree)]
        participles[_package_of(path)] += [f"{path}: {name}" for name in find_participles(tree)]
        predicates[_package_of(path)] += [f"{path}: {name}" for name in find_other_predicates(tree)]
        limits += [f"{path}: {name}" for name in find_other_limits(tree)]
    return Names(
        bare_words=bare_words,
        participles=participles,
        predicates=predicates,
        limits=limits,
        modules=[path for path in trees if is_misleading_module(path, libraries)],
    )


def find_bare_words(tree: ast.AST, *, within: type[ast.AST] = ast.Module) -> Iterator[str]:
    """Yield the functions, methods and closures of one word. Properties are nouns and may have one."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _FUNCTIONS):
            word = node.name.strip("_")
            is_dunder = node.name.startswith("__")
            if "_" not in word and not is_dunder and not _may_be_bare(node, word, within):
                yield node.name
            yield from find_bare_words(node, within=ast.FunctionDef)
        else:
            yield from find_bare_words(
                node, within=ast.ClassDef if isinstance(node, ast.ClassDef) else within
            )


def _may_be_bare(function: ast.FunctionDef | ast.AsyncFunctionDef, word: str, within: type[ast.AST]) -> bool:
    if within is ast.Module:
        return False
    is_property = any("property" in ast.unparse(decorator) for decorator in function.decorator_list)
    return is_property or bool(_OF_FRAMEWORKS.fullmatch(word) or _VERBS.fullmatch(word))


def find_participles(tree: ast.AST) -> Iterator[str]:
    """Yield the variables, parameters and properties that are participles, each time that they are set."""
    columns = {id(name) for name in _find_columns(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                if _PARTICIPLE.fullmatch(name) and id(node) not in columns:
                    yield f"{name} (line {node.lineno})"
            case ast.FunctionDef(name=name):
                if _PARTICIPLE.fullmatch(name):
                    yield f"{name} (line {node.lineno})"


def _find_columns(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the fields of serializers, models and JSON, whose names the API or the database has."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            is_json = any(ast.unparse(base) == "TypedDict" for base in node.bases)
            for line in node.body:
                match line:
                    case ast.AnnAssign(target=name) if is_json:
                        yield name
                    case ast.Assign(targets=[name], value=ast.Call(func=maker)):
                        if _MAKES_COLUMN.match(ast.unparse(maker)):
                            yield name


def find_other_predicates(tree: ast.AST, *, within: str = "") -> Iterator[str]:
    """Yield the functions and properties that answer yes or no, and do not begin as a predicate."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _FUNCTIONS):
            answer = ast.unparse(node.returns) if node.returns else ""
            if _BOOL.fullmatch(answer) and not _is_named_well(node.name, within):
                yield f"{within}{node.name}"
            yield from find_other_predicates(node)
        elif isinstance(node, ast.ClassDef):
            yield from find_other_predicates(node, within=f"{node.name}.")
        else:
            yield from find_other_predicates(node, within=within)


def _is_named_well(name: str, within: str) -> bool:
    word = name.lstrip("_")
    is_dunder = name.startswith("__")
    if is_dunder or _PREDICATE.fullmatch(word) or _DOES.fullmatch(word) or _READS_FLAG.fullmatch(word):
        return True
    # A verb alone is a method whose object is its instance.
    is_bare_verb = bool(within) and bool(_DOES.fullmatch(f"{word}_it"))
    return is_bare_verb or name in PREDICATES


def find_other_limits(tree: ast.AST) -> Iterator[str]:
    """Yield the constants that are limits by their names and begin with another word than the others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and _LIMIT.fullmatch(node.id):
            yield node.id


def is_misleading_module(path: str, libraries: set[str]) -> bool:
    """
    Say whether the name of a module hides what it is.

    Args:
        libraries: the top-level packages that the product imports.
    """
    if path in _MODULES_OF_FRAMEWORKS:
        return False
    *_, package, name = ("", *path.removesuffix("/__init__.py").removesuffix(".py").split("/"))
    return name == package or hasattr(builtins, name) or name in libraries - set(_FOLDERS) - _CONVENTIONAL


def _imported_libraries(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def _package_of(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "messages_app" and len(parts) > 2 else parts[0]


def find_problems(names: Names) -> list[str]:
    """Return a line for each package and each place with names that are not allowed."""
    return [
        *_find_packages("functions of one word", names.bare_words),
        *_find_packages("variables that are participles", names.participles),
        *_find_packages("predicates without is_, has_ or may_", names.predicates),
        *(f"{place}: limits begin with MAX_ or MIN_" for place in names.limits),
        *(f"{path}: named as its package, a builtin or a library" for path in names.modules),
    ]


def _find_packages(what: str, places: dict[str, list[str]]) -> Iterator[str]:
    for package, names in places.items():
        if names:
            yield f"{package} has {len(names)} {what}:"
            yield f"  python -m tests.rules.names {package}"


def main(arguments: list[str]) -> int:
    """Print the counts, or the names of a package; return 1 if there are names to replace."""
    names = find_names(ROOT)
    if arguments:
        package = arguments[0]
        lines = [*names.bare_words[package], *names.participles[package], *names.predicates[package]]
    else:
        lines = [
            _sum_up("Functions of one word", names.bare_words),
            _sum_up("Variables that are participles", names.participles),
            _sum_up("Predicates without is_, has_ or may_", names.predicates),
        ]
    problems = find_problems(names)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stderr.writelines(f"{line}\n" for line in problems)
    return 1 if problems else 0


def _sum_up(title: str, places: dict[str, list[str]]) -> str:
    counts = {package: len(names) for package, names in places.items()}
    parts = [f"{package} {count}" for package, count in sorted(counts.items()) if count]
    return ", ".join([f"{title}: {sum(counts.values())}", *parts])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
