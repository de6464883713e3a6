"""Codes: random letters under which a learner, or one visit, is known. They mean nothing else."""

from __future__ import annotations

import hashlib
import re
import secrets

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another
GROUPS, IN_GROUP = 4, 5
CODE = re.compile(rf"[a-z0-9]{{{IN_GROUP}}}(-[a-z0-9]{{{IN_GROUP}}}){{{GROUPS - 1}}}")


def new_code() -> str:
    """Twenty letters that nobody can guess, in groups that can be read aloud.

    >>> len(new_code()), new_code() == new_code()
    (23, False)
    """
    groups = ("".join(secrets.choice(LETTERS) for _ in range(IN_GROUP)) for _ in range(GROUPS))
    return "-".join(groups)


def hashed(code: str) -> str:
    """A code is long and random, so that its plain hash tells nothing about it.

    >>> len(hashed("aaaaa-bbbbb-ccccc-ddddd"))
    64
    """
    return hashlib.sha256(code.encode()).hexdigest()
