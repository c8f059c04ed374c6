"""Rules for the manifests of deploy/kubernetes that the schemas of Kubernetes do not have."""

from collections.abc import Iterator
from itertools import chain

from tests.support.manifests import Document, Pods, iterate_pods

CONTAINED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
RESOURCES = {"cpu", "memory", "ephemeral-storage"}
# Spark adds the others.
RESOURCES_OF_EXECUTOR = {"ephemeral-storage"}
# The base has the names of the images, which an overlay replaces.
IMAGES = ("-server", "-spark")
# Its driver asks the API of Kubernetes for executors.
WITH_ACCOUNT = {"hubconsole-spark"}


def find_faults(documents: list[Document]) -> list[str]:
    """Return a line for each fault."""
    pods = list(iterate_pods(documents))
    of_pods = chain.from_iterable(chain(_find_in_pod(each), _find_in_containers(each)) for each in pods)
    return [*of_pods, *_find_in_selectors(documents, pods), *_find_open_namespaces(documents, pods)]


def _find_in_pod(pods: Pods) -> Iterator[str]:
    security = pods.spec.get("securityContext", {})
    if security.get("runAsNonRoot") is not True or security.get("runAsUser") != 10001:
        yield f"{pods.name} may run as root"
    if security.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield f"{pods.name} has no seccomp profile"
    if pods.spec.get("automountServiceAccountToken") is not (pods.name in WITH_ACCOUNT):
        yield f"{pods.name} has a wrong account"
    for volume in pods.spec["volumes"]:
        if "sizeLimit" not in volume.get("emptyDir", {"sizeLimit": ""}):
            yield f"{pods.name} has no limit for {volume['name']}"


def _find_in_containers(pods: Pods) -> Iterator[str]:
    volumes = {volume["name"] for volume in pods.spec["volumes"]}
    needed = RESOURCES_OF_EXECUTOR if pods.kind == "Pod" else RESOURCES
    for container in pods.containers:
        place = f"{pods.name}/{container['name']}"
        if container.get("securityContext") != CONTAINED:
            yield f"{place} is not contained"
        for bound in ("requests", "limits"):
            if set(container.get("resources", {}).get(bound, {})) != needed:
                yield f"{place} lacks {bound}"
        if not container["image"].endswith(IMAGES):
            yield f"{place} has a strange image"
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        if unknown := mounts.keys() - volumes:
            yield f"{place} mounts {unknown}"
        if not {"/tmp", "/var/lib/hubconsole"} <= set(mounts.values()):
            yield f"{place} cannot write to its folders"
    for container in pods.spec["containers"] if pods.kind == "Deployment" else []:
        if missing := [probe for probe in PROBES if probe not in container]:
            yield f"{pods.name}/{container['name']} lacks {missing}"


def _find_in_selectors(documents: list[Document], pods: list[Pods]) -> Iterator[str]:
    for document in documents:
        kind, name = document["kind"], document["metadata"]["name"]
        namespace = document["metadata"].get("namespace", "")
        for selector, place, ports in _selectors_of(document, namespace):
            selected = [each for each in pods if each.namespace == place and _matches(selector, each.labels)]
            if not selected:
                yield f"{kind} {name} selects no pod by {selector}"
            if unknown := [port for port in ports if not any(_has_port(port, each) for each in selected)]:
                yield f"{kind} {name} names ports that no pod has: {unknown}"
        if kind == "NetworkPolicy":
            types = {each.lower() for each in document["spec"]["policyTypes"]}
            if not (document["spec"].keys() & {"ingress", "egress"} <= types <= {"ingress", "egress"}):
                yield f"{kind} {name} has rules that do not apply"


def _selectors_of(document: Document, namespace: str) -> Iterator[tuple[Document, str, list[object]]]:
    """Iterate over selectors, the namespace of their pods, and the ports that these must have."""
    kind, spec = document["kind"], document.get("spec", {})
    if kind == "Service":
        yield {"matchLabels": spec["selector"]}, namespace, [port["targetPort"] for port in spec["ports"]]
    elif kind in {"PodDisruptionBudget", "Deployment"}:
        yield spec["selector"], namespace, []
    elif kind == "NetworkPolicy":
        of_rules = [port["port"] for rule in spec.get("ingress", []) for port in rule["ports"]]
        yield spec["podSelector"], namespace, of_rules
        for rule, peer in _peers_of(spec):
            if "podSelector" in peer and (place := _namespace_of(peer, namespace)) != "kube-system":
                ports = [port["port"] for port in rule["ports"]] if rule in spec.get("egress", []) else []
                yield peer["podSelector"], place, [port for port in ports if place != namespace or ports]


def _peers_of(spec: Document) -> Iterator[tuple[Document, Document]]:
    for direction, side in (("ingress", "from"), ("egress", "to")):
        for rule in spec.get(direction, []):
            for peer in rule.get(side, []):
                yield rule, peer


def _namespace_of(peer: Document, own: str) -> str:
    labels = peer.get("namespaceSelector", {}).get("matchLabels", {})
    return labels.get("kubernetes.io/metadata.name", own)


def _matches(selector: Document, labels: dict[str, str]) -> bool:
    if not selector.get("matchLabels", {}).items() <= labels.items():
        return False
    expressions = selector.get("matchExpressions", [])
    return all(labels.get(each["key"]) in each["values"] for each in expressions)


def _has_port(port: object, pods: Pods) -> bool:
    known = [each for container in pods.containers for each in container.get("ports", [])]
    # Executors declare no port; Spark opens the one of spark.blockManager.port.
    return pods.kind == "Pod" or any(port in (each["name"], each["containerPort"]) for each in known)


def _find_open_namespaces(documents: list[Document], pods: list[Pods]) -> Iterator[str]:
    nothing = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    closed = {d["metadata"]["namespace"] for d in documents if d.get("spec") == nothing}
    for namespace in sorted({each.namespace for each in pods} - closed):
        yield f"{namespace} allows every connection"
