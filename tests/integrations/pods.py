"""
The documents of deploy/kubernetes, run as pods by `podman play kube`, with a database and a broker.

Only the parts that Podman 4 cannot run are translated:

- a deployment or a job becomes one pod; the names of services become names on a network of Podman;
- a container waits for its tables itself: Podman starts an init container that has ended again;
- secrets are those of Podman, and the config map is a file;
- the probes are asked by the tests: Podman would ask them by curl, which the image does not have;
- Spark runs its tasks in the pod of its Connect server, because no API of Kubernetes starts executors;
- the archive and exports are in the common volume, in place of a bucket.
"""

import base64
import json
import os
import secrets
import signal
import subprocess
from pathlib import Path

import requests
import yaml

from tests.integrations import container_images as images
from tests.support.eventually import eventually
from tests.support.files import ROOT
from tests.support.manifests import Document, iterate_pods, read_documents

NETWORK = "hub-pods"
SPARK_SERVICE = "hubconsole-spark.hubconsole-spark.svc"
_PARTS = ("web", "worker", "spark", "erase", "owner")
_IMAGES = {"hubconsole-server": images.SERVER, "hubconsole-spark": images.SPARK}
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


class Pods:
    """The console at `address`, in pods of their own."""

    def __init__(self, folder: Path, *, port: int) -> None:
        self._folder, self._port = folder, port
        self.address = f"http://localhost:{port}"
        documents = read_documents()
        self._pods = {pods.name: pods for pods in iterate_pods(documents)}
        (settings,) = [
            d for d in documents if (d["kind"], d["metadata"]["name"]) == ("ConfigMap", "hubconsole")
        ]
        self._settings = settings
        self._passwords = {part: secrets.token_urlsafe(24) for part in (*_PARTS, "broker", "superuser")}
        self._started: list[str] = []

    def start_servers(self) -> None:
        """Start the database and the broker, which Kubernetes does not run, and store the secrets."""
        images.run_podman("network", "create", NETWORK)
        values = {f"{part.upper()}_PASSWORD": self._passwords[part] for part in _PARTS}
        values["POSTGRES_PASSWORD"] = self._passwords["superuser"]
        roles = ROOT / "deploy/containers/roles.sh"
        self._run_server(
            "database",
            images.DATABASE,
            *(word for name, value in values.items() for word in ("--env", f"{name}={value}")),
            *("--volume", f"{roles}:/docker-entrypoint-initdb.d/roles.sh:ro"),
        )
        eventually(_accepts_connections, 60)
        words = ("valkey-server", "--requirepass", self._passwords["broker"], "--save", "", "--dir", "/tmp")
        self._run_server("broker", images.BROKER, words=words)
        for name, data in self._secrets().items():
            encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
            file = self._folder / "secret.json"
            file.write_text(json.dumps(encoded))
            images.run_podman("secret", "create", name, str(file))
            file.unlink()
        self._settings["data"] |= {
            "DJANGO_ALLOWED_HOSTS": "localhost",
            "HUBCONSOLE_TRUSTED_PROXIES": "127.0.0.1",
            "HUBCONSOLE_ARCHIVE_URI": "/var/lib/hubconsole/archive",
            "HUBCONSOLE_EXPORT_URI": "/var/lib/hubconsole/exports",
        }
        (self._folder / "settings.yaml").write_text(yaml.safe_dump(self._settings))

    def play(self, name: str) -> None:
        """Start the pod of a deployment or job."""
        pods = self._pods[name]
        spec = _translate(pods.spec)
        if pods.kind == "Deployment":
            spec["restartPolicy"] = "Always"
        if name == "hubconsole-spark":
            _run_tasks_locally(spec["containers"][0])
            spec["volumes"] = [each for each in spec["volumes"] if each["name"] != "spark"]
        if name == "hubconsole-web":
            spec["containers"][0]["ports"][0] |= {"hostPort": self._port, "hostIP": "127.0.0.1"}
        document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        file = self._folder / f"{name}.yaml"
        file.write_text(yaml.safe_dump(document))
        alias = SPARK_SERVICE if name == "hubconsole-spark" else name
        self._started.append(name)
        images.run_podman(
            *("play", "kube", "--configmap", str(self._folder / "settings.yaml")),
            *("--network", f"{NETWORK}:alias={alias}", str(file)),
        )

    def remove(self) -> None:
        """Remove the pods, the servers and what they stored."""
        for name in self._started:
            _try("pod", "rm", "--force", name)
        for name in ("database", "broker"):
            _try("rm", "--force", "--volumes", f"{NETWORK}-{name}")
        _try("secret", "rm", *self._secrets())
        _try("volume", "rm", "--force", "hubconsole-home")
        _try("network", "rm", "--force", NETWORK)

    def state_of(self, name: str, container: str = "") -> Document:
        """Return the state of a container of a pod, by default of its main one."""
        facts = images.run_podman("container", "inspect", self._container(name, container))
        return json.loads(facts)[0]["State"]

    def run(self, name: str, *words: str, as_owner: bool = False, container: str = "") -> str:
        """Run a command in a container of a pod, and return what it prints."""
        owner = ("--env", f"DATABASE_URL={self._database('owner')}") if as_owner else ()
        return images.run_podman("exec", *owner, self._container(name, container), *words)

    def kill(self, name: str) -> None:
        """Kill the main process of a pod as a crash does."""
        os.kill(self.state_of(name)["Pid"], signal.SIGKILL)

    def answers_probe(self, name: str, probe: str) -> bool:
        """Ask a probe of a deployment's main container, as a kubelet does."""
        (container,) = self._pods[name].spec["containers"]
        how = container[probe]
        if "httpGet" in how:
            address = f"http://127.0.0.1:{self._port}{how['httpGet']['path']}"
            return _is_success(address, host=f"10.244.0.9:{container['ports'][0]['containerPort']}")
        words = how["exec"]["command"] if "exec" in how else ["true"]
        return _try("exec", self._container(name, ""), *words)

    def query(self, statement: str) -> str:
        """Return the rows of a statement by the superuser, a line each."""
        words = ("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--username", "postgres", "hubconsole")
        return images.run_podman("exec", f"{NETWORK}-database", *words, "--command", statement).strip()

    def _container(self, name: str, container: str) -> str:
        return f"{name}-{container or self._pods[name].spec['containers'][0]['name']}"

    def _database(self, part: str) -> str:
        return f"postgresql://hubconsole_{part}:{self._passwords[part]}@database/hubconsole?sslmode=disable"

    def _secrets(self) -> dict[str, dict[str, str]]:
        """Return the secrets of docs/howto/kubernetes.md."""
        return {
            "hubconsole": {
                "DJANGO_SECRET_KEY": "of-these-tests-" * 4,
                "CELERY_BROKER_URL": f"redis://:{self._passwords['broker']}@broker:6379/0",
            },
            "hubconsole-owner": {"DATABASE_URL": self._database("owner")},
            "hubconsole-web": {"DATABASE_URL": self._database("web")},
            "hubconsole-worker": {"DATABASE_URL": self._database("worker")},
            "hubconsole-spark-worker": {
                "DATABASE_URL": self._database("worker"),
                "HUBCONSOLE_SPARK_DATABASE_URL": self._database("spark"),
            },
        }

    def _run_server(self, name: str, image: str, *options: str, words: tuple[str, ...] = ()) -> None:
        where = ("--name", f"{NETWORK}-{name}", "--network", f"{NETWORK}:alias={name}")
        images.run_podman("run", "--detach", *where, *options, image, *words)


def _accepts_connections() -> bool:
    return _try("exec", f"{NETWORK}-database", "pg_isready", "--host", "127.0.0.1")


def _translate(spec: Document) -> Document:
    """Return the spec of a pod without the fields that Podman would take for something else."""
    spec = json.loads(json.dumps(spec))
    for container in [*spec.get("initContainers", []), *spec["containers"]]:
        container["image"] = _IMAGES[container["image"]]
        for probe in _PROBES:
            container.pop(probe, None)
    for waiting in spec.pop("initContainers", []):
        (container,) = spec["containers"]
        container["command"] = ["sh", "-c", f'{waiting["command"][-1]}; exec hubconsole "$@"', "hubconsole"]
    return spec


def _run_tasks_locally(container: Document) -> None:
    """Give Spark its own properties, except those of Kubernetes."""
    (config,) = [d for d in read_documents() if "spark.properties" in d.get("data", {})]
    lines = [line.split() for line in config["data"]["spark.properties"].splitlines() if line]
    settings = dict(words for words in lines if len(words) == 2)
    ours = {
        name: value
        for name, value in settings.items()
        if not name.startswith(("spark.kubernetes.", "spark.executor.", "spark.driver."))
    }
    ours["spark.master"] = "local[2]"
    kept = [word for word in container["command"] if not word.startswith(("--conf=", "--properties"))]
    container["command"] = [*kept, *(f"--conf={name}={value}" for name, value in ours.items())]
    container["env"] = [each for each in container["env"] if "value" in each]
    container["volumeMounts"] = [each for each in container["volumeMounts"] if each["name"] != "spark"]


def _try(*words: str) -> bool:
    """Run podman, and return whether it succeeded."""
    done = subprocess.run(["podman", *words], env=images.environment(), capture_output=True, check=False)
    return done.returncode == 0


def _is_success(address: str, *, host: str) -> bool:
    """Return whether an address answers, without following a redirect, as a kubelet asks it."""
    try:
        answer = requests.get(address, headers={"Host": host}, timeout=5, allow_redirects=False)
    except requests.RequestException:
        return False
    return answer.status_code == 200
