"""The folder of an export: its files are written beside it, and take its place together."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from etl.declaration import FILE
from etl.errors import Refused
from etl.manifest import MANIFEST, is_of_export, write_manifest
from etl.tables import TABLES

_FILES = {MANIFEST, FILE, *(table.file for table in TABLES)}


@contextmanager
def replaced_folder(wanted: Path) -> Iterator[Path]:
    """A folder whose files take the place of those of the wanted one at the end. It is removed after a failure.

    A process that is killed leaves it, and perhaps the export before under another name. The next export removes the
    one and brings back the other.

    Raises:
        Refused: when another export is at work, or there is something that is not of an export.
    """
    directory = wanted.resolve()
    written, before = (directory.with_name(f"{directory.name}.export-{part}") for part in ("part", "old"))
    _require_replaceable(directory, written, before)
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        written.mkdir(exist_ok=True)
    except OSError as error:
        raise Refused(
            f"{directory.parent} cannot take the export ({error.strerror}): name another folder, or give access to it"
        ) from None
    lock = os.open(written, os.O_RDONLY)
    try:
        _take(lock, written)
        if before.exists() and not _names(directory):
            before.rename(directory)
        _remove(before)
        try:
            write_manifest(written, None)
            yield written
        except BaseException:
            _remove(written)
            raise
        if directory.exists():
            directory.rename(before)
        written.rename(directory)
        _remove(before)
    finally:
        os.close(lock)


def _require_replaceable(directory: Path, *beside: Path) -> None:
    if directory.exists() and not directory.is_dir():
        raise Refused(f"{directory} is not a folder but a file: name a folder for the export")
    if directory.is_mount():
        raise Refused(f"{directory} is where a disk is mounted, so it cannot be replaced: name a folder in it")
    names = _names(directory)
    if names and not is_of_export(directory):
        raise Refused(f"{directory} is no export and has files: name a new folder, an empty one, or that of an export")
    for folder in (directory, *beside):
        others = sorted(_names(folder) - _FILES)
        if others:
            raise Refused(f"{folder / others[0]} is no file of an export: move it away, or name another folder")


def _take(lock: int, folder: Path) -> None:
    """Takes the lock of a folder, which a killed process loses."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_ino == folder.stat().st_ino:
            return
    except (BlockingIOError, FileNotFoundError):
        pass
    raise Refused(f"another export writes {folder}: wait until it ends, or name another folder")


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def _remove(folder: Path) -> None:
    """Removes the files of an export, and nothing else."""
    for name in _names(folder) & _FILES:
        (folder / name).unlink()
    if folder.exists():
        folder.rmdir()
