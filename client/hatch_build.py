"""Adds the generated modules to the wheel: `make client` names the description of the API in OPENAPI."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from generate import write_modules


class GeneratedModules(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        sources = Path(self.root) / "hubconsole_client"
        written = write_modules(Path(os.environ["OPENAPI"]), sources, Path(self._folder.name))
        for path in written:
            build_data["force_include"][str(path)] = f"hubconsole_client/{path.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._folder.cleanup()
