"""How one lab is run: where it listens, under which names it is known, and where progress is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .errors import ServerError
from .limits import ServerLimits

LOCAL = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")
PORT = 8765
USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class ServerSettings:
    """
    >>> ServerSettings(port=8765).hosts
    ('localhost:8765', '127.0.0.1:8765', '[::1]:8765')
    >>> ServerSettings(public_url="https://lab.school.example").origins[-1]
    'https://lab.school.example'
    """

    host: str = "127.0.0.1"
    port: int = PORT
    public_url: str = ""
    database: str = ":memory:"
    prepared: bool = False  # whether the first answers are made before anybody asks
    limits: ServerLimits = field(default_factory=ServerLimits)

    @property
    def hosts(self) -> tuple[str, ...]:
        """What the header Host may say."""
        names = LOCAL if self.host in (*EVERYWHERE, *LOCAL, "::1") else (*LOCAL, _bracketed(self.host))
        own = [_with_port("http", name, self.port) for name in names]
        return (*own, urlsplit(self.public_url).netloc) if self.public_url else tuple(own)

    @property
    def origins(self) -> tuple[str, ...]:
        """What the header Origin may say."""
        own = [f"http://{host}" for host in self.hosts[: -1 if self.public_url else None]]
        return (*own, self.public_url) if self.public_url else tuple(own)

    @property
    def url(self) -> str:
        """Where a person on this machine opens the lab."""
        host = "127.0.0.1" if self.host in EVERYWHERE else _bracketed(self.host)
        return f"http://{_with_port('http', host, self.port)}/"


def checked_url(url: str) -> str:
    """The address of a page as browsers write it, or an error that says how one is written.

    >>> checked_url("https://Lab.school.example:443/")
    'https://lab.school.example'
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in USUAL_PORTS and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good or parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc:
        raise ServerError(f"{url} is no address of a page.", hint="Write it whole: https://lab.school.example.")
    host = _bracketed(parts.hostname or "")
    return f"{parts.scheme}://{_with_port(parts.scheme, host, parts.port or USUAL_PORTS[parts.scheme])}"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _with_port(scheme: str, host: str, port: int) -> str:
    return host if USUAL_PORTS[scheme] == port else f"{host}:{port}"
