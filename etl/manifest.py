"""manifest.json of an export: says of which moment its files are, and that all of them are whole."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from etl.errors import Refused

MANIFEST = "manifest.json"
_KIND = "export"


@dataclass(frozen=True)
class FileFacts:
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """`cursor` is for --as-of; `language` is null where the catalog has no search; `hidden` are ids of products."""

    cursor: str
    catalog_version: str
    campus: str
    language: str | None
    hidden: list[int]
    files: dict[str, FileFacts]


def write_manifest(directory: Path, manifest: Manifest | None) -> None:
    """Writes the manifest; without one, that of an export that is not complete yet."""
    content = {"kind": _KIND} | (asdict(manifest) if manifest else {})
    (directory / MANIFEST).write_text(json.dumps(content, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def is_of_export(directory: Path) -> bool:
    """The folder has the manifest of an export, also of one that is not complete."""
    try:
        return _content(directory).get("kind") == _KIND
    except Refused:
        return False


def read_manifest(directory: Path) -> Manifest | None:
    """The manifest of a folder of files, if they are an export.

    Raises:
        Refused: when the export was cut, or a file was changed or cut since.
    """
    content = _content(directory)
    if content.get("kind") != _KIND:
        return None
    try:
        files = {file: FileFacts(**facts) for file, facts in content["files"].items()}
        described = {name: content[name] for name in ("cursor", "catalog_version", "campus", "language")}
        manifest = Manifest(**described, hidden=content.get("hidden", []), files=files)
    except (KeyError, TypeError, AttributeError):
        raise Refused(f"{directory} is an export that was cut: export again, or copy the whole folder again") from None
    for file, facts in manifest.files.items():
        path = directory / file
        if path.is_file() and path.stat().st_size != facts.bytes:
            raise Refused(
                f"{path} has {path.stat().st_size:,} bytes, and {MANIFEST} says {facts.bytes:,}: copy it again, "
                f"or remove {MANIFEST} to load the files as they are"
            )
    return manifest


def _content(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    try:
        content = json.loads(path.read_bytes())
    except OSError:  # none, or files.py says what is wrong with the folder
        return {}
    except ValueError:
        raise Refused(f"{path} is not JSON: export again, or remove it to load the files as they are") from None
    return content if isinstance(content, dict) else {}
