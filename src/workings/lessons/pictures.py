"""Pictures of a lesson of one's own: `![what it shows](plot.png "what to see in it")`, files in the lesson's folder."""

from __future__ import annotations

import base64
from pathlib import Path, PurePosixPath

from ..document.blocks import Image, Words
from ..engine.errors import LessonError
from ..engine.files import MissingFileError, read_user_file

MAX_PICTURE_BYTES = 2_000_000
# How the file of each kind begins. An SVG is text, in which that may come later.
KINDS = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".svg": ("image/svg+xml", b"<svg"),
}


def picture_in_folder(name: str, alternative: str, caption: str, folder: Path | None) -> Image:
    """The picture of this name in the folder of the lesson, and in no other one."""
    path = PurePosixPath(name)
    media, begins = KINDS.get(path.suffix.lower(), ("", b""))
    if folder is None or path.name != name or not media:
        raise LessonError(
            f"'{name[:80]}' cannot be shown as a picture.",
            hint=f"Put a file into the folder of the lesson, and write its name without a path. It ends in one of "
            f"{', '.join(KINDS)}.",
        )
    if not alternative.strip():
        raise LessonError(
            f"Nothing says what {name} shows.",
            hint=f"Say it for those who cannot see it: ![What the picture shows]({name}).",
        )
    try:
        content = read_user_file(folder / name, MAX_PICTURE_BYTES, hint="Make it smaller.")
    except MissingFileError:
        raise LessonError(f"The folder of the lesson has no picture '{name[:80]}'.", hint="Check its name.") from None
    if begins not in content[:2000]:
        raise LessonError(f"{name} is not a picture of the kind {path.suffix}.", hint="Save it as such a file again.")
    data = base64.b64encode(content).decode()
    return Image(f"data:{media};base64,{data}", alternative, (Words(caption),) if caption else ())
