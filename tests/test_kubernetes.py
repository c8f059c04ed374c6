"""The manifests of deploy/kubernetes fit the schemas of Kubernetes, the rules of our own, and the guide."""

import re
from collections.abc import Callable

import kubernetes_validate
import pytest

from tests.support.files import ROOT
from tests.support.manifest_rules import find_faults
from tests.support.manifests import (
    BASE,
    FOLDER,
    GUIDE,
    Document,
    executor_template,
    iterate_pods,
    parse_documents,
    read_documents,
)

# The oldest that the guide promises, and the newest that is known.
VERSIONS = ("1.30", "1.37")
# Settings of libraries, and of Spark's image.
OF_OTHERS = {
    "AWS_REGION",
    "PROMETHEUS_MULTIPROC_DIR",
    "SPARK_LOCAL_DIRS",
    "POD_IP",
    "POD_NAME",
    "EXECUTOR_IMAGE",
}
STORE_KEYS = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}


@pytest.fixture
def documents() -> list[Document]:
    return read_documents()


def find_document(documents: list[Document], kind: str, name: str) -> Document:
    (document,) = [d for d in documents if (d["kind"], d["metadata"]["name"]) == (kind, name)]
    return document


def pod_of(documents: list[Document], name: str) -> Document:
    return find_document(documents, "Deployment", name)["spec"]["template"]["spec"]


def container_of(documents: list[Document], name: str) -> Document:
    return pod_of(documents, name)["containers"][0]


def settings_of_product() -> set[str]:
    """Return the names in the table of settings, where `HUBCONSOLE_SMTP_HOST`, `_PORT` are two."""
    text = (ROOT / "docs/reference/settings.md").read_text()
    return set(re.findall(r"`((?:HUBCONSOLE|DJANGO|HUB|CELERY|SPARK|OTEL|DATABASE)_\w+)`", text))


def secrets_of_guide() -> dict[str, set[str]]:
    """Return the secrets in the table of the guide, and their keys."""
    rows = re.findall(r"^\| `(hubconsole[\w-]*)` \| (.*?) \|", GUIDE.read_text(), re.MULTILINE)
    return {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in rows}


class TestSchemas:
    @pytest.mark.parametrize("version", VERSIONS)
    def test_accept_every_document(self, documents, version):
        for document in [*documents, executor_template(documents)]:
            kubernetes_validate.validate(document, version, strict=True)

    @pytest.mark.parametrize(
        ("kind", "name", "change", "fault"),
        [
            ("Deployment", "hubconsole-web", lambda d: d["spec"].update(replicas="two"), "replicas"),
            (
                "Deployment",
                "hubconsole-beat",
                lambda d: d["spec"]["template"]["spec"]["containers"][0]["securityContext"].update(
                    readonlyRootFilesystem=True
                ),
                "readonlyRootFilesystem",
            ),
            ("Job", "hubconsole-migrate", lambda d: d["spec"].update(backoffLimit=[]), "backoffLimit"),
            (
                "NetworkPolicy",
                "pages",
                lambda d: d["spec"]["ingress"][0].update(form=[]),
                "form",
            ),
            ("PodDisruptionBudget", "hubconsole-web", lambda d: d["spec"].update(maximum=1), "maximum"),
            ("Role", "hubconsole-spark", lambda d: d["rules"][0].update(verb=["get"]), "verb"),
        ],
    )
    def test_refuse_a_wrong_one(self, documents, kind, name, change: Callable, fault):
        document = find_document(documents, kind, name)
        change(document)
        with pytest.raises(kubernetes_validate.ValidationError, match=fault):
            kubernetes_validate.validate(document, VERSIONS[-1], strict=True)


def drop_limits(documents: list[Document]) -> None:
    del container_of(documents, "hubconsole-web")["resources"]["limits"]["memory"]


def drop_probe(documents: list[Document]) -> None:
    del container_of(documents, "hubconsole-short-worker")["livenessProbe"]


def allow_writing(documents: list[Document]) -> None:
    pod_of(documents, "hubconsole-beat")["initContainers"][0]["securityContext"]["readOnlyRootFilesystem"] = (
        False
    )


def add_capability(documents: list[Document]) -> None:
    security = container_of(documents, "hubconsole-spark")["securityContext"]
    security["capabilities"]["add"] = ["NET_ADMIN"]


def run_as_root(documents: list[Document]) -> None:
    pod_of(documents, "hubconsole-web")["securityContext"]["runAsUser"] = 0


def drop_seccomp(documents: list[Document]) -> None:
    del pod_of(documents, "hubconsole-store-worker")["securityContext"]["seccompProfile"]


def give_account(documents: list[Document]) -> None:
    del pod_of(documents, "hubconsole-web")["automountServiceAccountToken"]


def drop_size(documents: list[Document]) -> None:
    pod_of(documents, "hubconsole-spark")["volumes"][1]["emptyDir"] = {}


def miss_volume(documents: list[Document]) -> None:
    container_of(documents, "hubconsole-web")["volumeMounts"][0]["name"] = "hom"


def miss_pods_of_service(documents: list[Document]) -> None:
    find_document(documents, "Service", "hubconsole")["spec"]["selector"]["app.kubernetes.io/name"] = "hub"


def miss_port(documents: list[Document]) -> None:
    find_document(documents, "Service", "hubconsole")["spec"]["ports"][0]["targetPort"] = "pages"


def miss_pods_of_budget(documents: list[Document]) -> None:
    budget = find_document(documents, "PodDisruptionBudget", "hubconsole-spark-worker")
    budget["spec"]["selector"]["matchLabels"]["app.kubernetes.io/component"] = "spark-workers"


def miss_peer(documents: list[Document]) -> None:
    policy = find_document(documents, "NetworkPolicy", "connect")
    del policy["spec"]["ingress"][0]["from"][0]["namespaceSelector"]


def miss_type(documents: list[Document]) -> None:
    find_document(documents, "NetworkPolicy", "mail")["spec"]["policyTypes"] = ["Egres"]


def open_namespace(documents: list[Document]) -> None:
    documents[:] = [document for document in documents if document["metadata"]["name"] != "nothing"]


class TestRules:
    def test_hold(self, documents):
        assert find_faults(documents) == []

    @pytest.mark.parametrize(
        ("plant", "fault"),
        [
            (drop_limits, "hubconsole-web/web lacks limits"),
            (drop_probe, "hubconsole-short-worker/short-worker lacks ['livenessProbe']"),
            (allow_writing, "hubconsole-beat/wait-for-tables is not contained"),
            (add_capability, "hubconsole-spark/spark is not contained"),
            (run_as_root, "hubconsole-web may run as root"),
            (drop_seccomp, "hubconsole-store-worker has no seccomp profile"),
            (give_account, "hubconsole-web has a wrong account"),
            (drop_size, "hubconsole-spark has no limit for tmp"),
            (miss_volume, "hubconsole-web/web mounts {'hom'}"),
            (miss_pods_of_service, "Service hubconsole selects no pod by"),
            (miss_port, "Service hubconsole names ports that no pod has: ['pages']"),
            (miss_pods_of_budget, "PodDisruptionBudget hubconsole-spark-worker selects no pod by"),
            (miss_peer, "NetworkPolicy connect selects no pod by"),
            (miss_type, "NetworkPolicy mail has rules that do not apply"),
            (open_namespace, "hubconsole allows every connection"),
        ],
    )
    def test_find_a_fault(self, documents, plant: Callable, fault):
        plant(documents)
        assert [line for line in find_faults(documents) if line.startswith(fault)] != []


class TestBase:
    def test_has_every_file(self):
        listed = {path.name for path in BASE.rglob("*") if path.is_file()}
        named = "".join(path.read_text() for path in BASE.rglob("kustomization.yaml"))
        assert [name for name in listed - {"kustomization.yaml"} if name not in named] == []

    def test_runs_beat_once(self, documents):
        spec = find_document(documents, "Deployment", "hubconsole-beat")["spec"]
        assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})

    def test_has_a_budget_for_each_part_that_may_have_several_pods(self, documents):
        budgets = {d["metadata"]["name"] for d in documents if d["kind"] == "PodDisruptionBudget"}
        deployments = [d for d in documents if d["kind"] == "Deployment"]
        several = {
            d["metadata"]["name"] for d in deployments if d["spec"].get("strategy") != {"type": "Recreate"}
        }
        assert (
            budgets
            == several
            == {
                "hubconsole-web",
                "hubconsole-short-worker",
                "hubconsole-store-worker",
                "hubconsole-spark-worker",
            }
        )

    def test_lets_spark_only_start_executors_in_a_namespace_without_secrets_of_the_console(self, documents):
        role = find_document(documents, "Role", "hubconsole-spark")
        assert role["metadata"]["namespace"] == "hubconsole-spark"
        (rule,) = role["rules"]
        assert (rule["apiGroups"], rule["resources"]) == ([""], ["pods"])
        assert set(rule["verbs"]) == {"get", "list", "watch", "create", "delete", "deletecollection"}
        kinds = {d["kind"] for d in documents}
        assert "ClusterRole" not in kinds
        assert "Secret" not in kinds

    def test_gives_the_address_of_the_owner_to_the_job_only(self, documents):
        with_owner = [
            pods.name
            for pods in iterate_pods(documents)
            for container in pods.containers
            if {"secretRef": {"name": "hubconsole-owner"}} in container.get("envFrom", [])
        ]
        assert with_owner == ["hubconsole-migrate"]


class TestSettings:
    def test_are_settings_of_the_product(self, documents):
        settings = set(find_document(documents, "ConfigMap", "hubconsole")["data"])
        for pods in iterate_pods(documents):
            settings |= {each["name"] for container in pods.containers for each in container.get("env", [])}
        assert len(settings) > 10
        assert settings - settings_of_product() - OF_OTHERS == set()

    def test_of_secrets_are_in_the_guide_and_settings_of_the_product(self, documents):
        named = {
            source["secretRef"]["name"]
            for pods in iterate_pods(documents)
            for container in pods.containers
            for source in container.get("envFrom", [])
            if "secretRef" in source
        }
        documented = secrets_of_guide()
        assert documented.keys() - {"hubconsole-tls"} == named
        keys = set().union(*documented.values())
        assert keys - settings_of_product() - STORE_KEYS - {"DATABASE_URL"} == set()

    def test_that_are_required_reach_every_part(self, documents):
        keys = secrets_of_guide()
        for pods in iterate_pods(documents):
            if pods.namespace == "hubconsole":
                for container in pods.containers:
                    secrets = [
                        each["secretRef"]["name"] for each in container["envFrom"] if "secretRef" in each
                    ]
                    given = set().union(*(keys[name] for name in secrets))
                    assert {"DATABASE_URL", "DJANGO_SECRET_KEY", "CELERY_BROKER_URL"} <= given, pods.name


class TestGuide:
    def test_applies_the_settings_of_the_migration_with_it(self, documents):
        """Otherwise its pod waits for a config map that is applied after it."""
        (listed,) = re.findall(r"--selector 'app\.kubernetes\.io/component in \((.*)\)'", GUIDE.read_text())
        applied = {
            (d["kind"], d["metadata"]["name"])
            for d in documents
            if d["metadata"].get("labels", {}).get("app.kubernetes.io/component") in listed.split(", ")
        }
        assert applied == {("Job", "hubconsole-migrate"), ("ConfigMap", "hubconsole")}
        migration = find_document(documents, "Job", "hubconsole-migrate")["spec"]["template"]["spec"]
        (container,) = migration["containers"]
        named = {each["configMapRef"]["name"] for each in container["envFrom"] if "configMapRef" in each}
        assert {("ConfigMap", name) for name in named} <= applied


class TestPolicies:
    @pytest.mark.parametrize(
        ("name", "port", "parts"),
        [
            ("mail", 587, {"web", "short-worker"}),
            ("https", 443, {"web", "short-worker", "spark-worker"}),
        ],
    )
    def test_let_the_parts_reach_what_they_call(self, documents, name, port, parts):
        """The web processes send handovers, links to set a password, and tests of webhooks."""
        spec = find_document(documents, "NetworkPolicy", name)["spec"]
        (of_parts,) = spec["podSelector"]["matchExpressions"]
        assert (set(of_parts["values"]), spec["egress"]) == (parts, [{"ports": [{"port": port}]}])


class TestOverlays:
    @pytest.mark.parametrize("name", ["small", "production"])
    def test_name_each_image_with_a_tag_of_its_own(self, documents, name):
        """A tag for both would start web processes in the image of Spark."""
        (kustomization,) = parse_documents((FOLDER / "overlays" / name / "kustomization.yaml").read_text())
        used = {container["image"] for pods in iterate_pods(documents) for container in pods.containers}
        assert {each["name"] for each in kustomization["images"]} == used
        assert len({each["newTag"] for each in kustomization["images"]}) == len(used) == 2

    @pytest.mark.parametrize("name", ["small", "production"])
    def test_change_only_documents_that_the_base_has(self, documents, name):
        """`make test-integrations` builds them."""
        folder = FOLDER / "overlays" / name
        text = (folder / "kustomization.yaml").read_text()
        (kustomization,) = parse_documents(text)
        names = {d["metadata"]["name"] for d in documents}
        assert {each["name"] for each in kustomization.get("replicas", [])} <= names
        assert {each["target"]["name"] for each in kustomization["patches"] if "target" in each} <= names
        for file in [each["path"] for each in kustomization["patches"] if "path" in each]:
            assert {d["metadata"]["name"] for d in parse_documents((folder / file).read_text())} <= names
