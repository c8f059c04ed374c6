"""The manifests of deploy/kubernetes: the documents of its base, without a program that builds them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.support.files import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
BASE = FOLDER / "base"
GUIDE = ROOT / "docs/howto/kubernetes.md"

Document = dict[str, Any]


class Pods(NamedTuple):
    """The pods of a document: of a deployment, a job, or the template of executors."""

    kind: str
    namespace: str
    name: str
    labels: dict[str, str]
    spec: Document

    @property
    def containers(self) -> list[Document]:
        return [*self.spec.get("initContainers", []), *self.spec["containers"]]


def read_documents(folder: Path = BASE) -> list[Document]:
    """Return the documents of a kustomization and of those in it, with its config maps."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    documents: list[Document] = []
    for name in kustomization["resources"]:
        path = folder / name
        documents += read_documents(path) if path.is_dir() else parse_documents(path.read_text())
    for generator in kustomization.get("configMapGenerator", []):
        documents.append(_make_config_map(folder, generator))
    return documents


def parse_documents(text: str) -> list[Document]:
    return [document for document in yaml.safe_load_all(text) if document]


def _make_config_map(folder: Path, generator: Document) -> Document:
    data = {name: (folder / name).read_text() for name in generator.get("files", [])}
    for name in generator.get("envs", []):
        lines = (folder / name).read_text().splitlines()
        data |= dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    metadata = {
        "name": generator["name"],
        "namespace": generator["namespace"],
        **generator.get("options", {}),
    }
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def executor_template(documents: list[Document]) -> Document:
    """Return the pod of an executor, which is a file of Spark's config map."""
    (text,) = [d["data"]["executor.yaml"] for d in documents if "executor.yaml" in d.get("data", {})]
    (pod,) = parse_documents(text)
    return pod


def iterate_pods(documents: list[Document]) -> Iterator[Pods]:
    for document in [*documents, executor_template(documents)]:
        kind, metadata = document["kind"], document["metadata"]
        if kind == "Pod":
            yield Pods(kind, metadata["namespace"], metadata["name"], metadata["labels"], document["spec"])
        elif kind in {"Deployment", "Job"}:
            template = document["spec"]["template"]
            labels = template["metadata"]["labels"]
            yield Pods(kind, metadata["namespace"], metadata["name"], labels, template["spec"])
