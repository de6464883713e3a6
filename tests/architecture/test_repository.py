"""Things that must not get into the repository."""

import re
import subprocess

# Written so that this file does not contain them.
HOSTS = re.compile(r"pyp[i]\.org|pythonhost[e]d|npmj[s]\.|deb\.debia[n]|/ro[o]t/|/ho[m]e/\w+/|/w[o]rk/")


def test_no_registry_host_or_path_of_a_machine_is_committed(pytestconfig):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=pytestconfig.rootpath, capture_output=True, check=False)
    if listed.returncode:  # not a checkout: an unpacked source archive
        return
    for name in listed.stdout.decode().split("\0"):
        path = pytestconfig.rootpath / name
        if name and path.is_file():
            found = HOSTS.search(path.read_text(encoding="utf-8", errors="replace"))
            assert found is None, f"{name}: {found}"
