"""Things that must not get into the repository."""

import re

# Written so that this file does not contain them.
HOSTS = re.compile(r"pyp[i]\.org|pythonhost[e]d|npmj[s]\.|deb\.debia[n]|/ro[o]t/|/ho[m]e/\w+/|/w[o]rk/")
FOLDERS = (".ci", "bench", "docs", "src", "tests", "web")
BUILT = {"node_modules", "__pycache__", "app", "dist"}  # in no commit


def sources(root):
    yield from (path for path in root.iterdir() if path.is_file())
    for folder in FOLDERS:
        yield from (path for path in (root / folder).rglob("*") if path.is_file() and not BUILT & set(path.parts))


def test_no_registry_host_or_path_of_a_machine_is_committed(pytestconfig):
    files = list(sources(pytestconfig.rootpath))
    assert len(files) > 500
    found = {path: HOSTS.search(path.read_text(encoding="utf-8", errors="replace")) for path in files}
    assert {str(path): match[0] for path, match in found.items() if match and not path.name.startswith("katex.")} == {}


def test_host_is_noticed():
    assert HOSTS.search("https://" + "pyp" + "i.org/simple")
