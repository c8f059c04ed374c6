"""nginx from Debian's package, unpacked into a folder: it needs no installation and starts no service."""

import shutil
import subprocess
from pathlib import Path

PACKAGE = "nginx"
# Otherwise, workers of root change to a user that may not look into the folders of tests.
_AROUND = """
user root;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
{configuration}
}}
"""


def binary(folder: Path) -> Path:
    """
    Return the program, the installed one or the package's.

    Raises:
        FileNotFoundError: it is not installed, and the package could not be had.
    """
    if installed := shutil.which("nginx"):
        return Path(installed)
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "download", "-q", PACKAGE], cwd=folder, check=False, capture_output=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", str(package), str(folder)], check=True)
    program = folder / "usr/sbin/nginx"
    if not program.exists():
        raise FileNotFoundError(f"This test needs Debian's package {PACKAGE}, and could not get it.")
    return program


def make_certificate(folder: Path, name: str) -> None:
    """Write hub.pem and hub.key, a certificate of this name that signs itself."""
    made = ("-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-days", "2")
    files = ("-keyout", folder / "hub.key", "-out", folder / "hub.pem")
    names = ("-addext", f"subjectAltName=DNS:{name}")
    subprocess.run(["openssl", "req", *made, *names, *files], check=True, capture_output=True)


def write_configuration(folder: Path, servers: str) -> Path:
    """Write a configuration with these servers, of which every file is in a folder; return its path."""
    file = folder / "nginx.conf"
    file.write_text(_AROUND.format(folder=folder, configuration=servers))
    return file
