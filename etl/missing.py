"""Explains a missing folder or files: what was found instead, and the command that helps."""

import difflib
import shlex
from collections.abc import Iterable
from pathlib import Path

from etl.errors import Refused, one_line

_UNPACKERS = {".gz": "gunzip", ".bz2": "bunzip2", ".xz": "unxz", ".zst": "unzstd --rm", ".zip": "unzip -d"}


def require_folder(directory: Path) -> None:
    """
    Raises:
        Refused: when the folder does not exist or cannot be entered.
    """
    try:
        if directory.is_dir():
            return
        exists = directory.exists()
    except OSError as error:  # up to Python 3.13, when the folder above cannot be entered
        raise Refused(f"{one_line(error)}: give access, or name the one that holds the six CSV files") from None
    if exists:
        raise Refused(f"{directory} is not a folder but a file: name the folder that holds the six CSV files")
    near = difflib.get_close_matches(directory.name, _names(directory.parent), n=1)
    hint = f"; did you mean {shlex.quote(str(directory.with_name(near[0])))}?" if near else ""
    raise Refused(f"{directory} does not exist: name the folder that holds the six CSV files{hint}")


def require_files(directory: Path, wanted: Iterable[str]) -> None:
    """
    Raises:
        Refused: when some are missing, naming files that are probably meant.
    """
    names = _names(directory)
    if not names:  # empty, or a folder that can be entered but not listed: opening the files reports it
        return
    wanted = list(wanted)
    missing = [name for name in wanted if name not in names]
    if not missing:
        return
    others = sorted(names - set(wanted))
    hints = [(other, command) for name in missing for other, command in [_lookalike(directory, name, others)] if other]
    listed = ", ".join(str(directory / name) for name in missing[:1]) + "".join(f", {name}" for name in missing[1:])
    text = f"{listed} {'is' if len(missing) == 1 else 'are'} missing: "
    if hints:
        found = ", ".join(other for other, _ in hints)
        raise Refused(f"{text}found {found}; run {' && '.join(command for _, command in hints)}")
    raise Refused(f"{text}all six files must be in one folder{_below(directory, wanted)}")


def _names(directory: Path) -> set[str]:
    try:
        return {path.name for path in directory.iterdir()}
    except OSError:
        return set()


def _lookalike(directory: Path, name: str, others: list[str]) -> tuple[str, str]:
    """The file that `name` probably means, and the command that makes it so; two empty texts: none."""
    stem = name.removesuffix(".csv")
    for other in others:
        path = Path(other)
        packed = path.suffix.lower() in _UNPACKERS
        if packed and path.name.lower().removesuffix(path.suffix.lower()).removesuffix(".csv") == stem:
            return other, _unpack(directory, path)
    by_stem = {Path(other).stem.lower(): other for other in others if Path(other).suffix.lower() not in _UNPACKERS}
    near = difflib.get_close_matches(stem, by_stem, n=1, cutoff=0.75)
    if not near:
        return "", ""
    found = by_stem[near[0]]
    return found, shlex.join(["mv", str(directory / found), str(directory / name)])


def _unpack(directory: Path, packed: Path) -> str:
    words = _UNPACKERS[packed.suffix.lower()].split()
    if words[0] == "unzip":
        words.append(str(directory))
    return shlex.join([*words, str(directory / packed)])


def _below(directory: Path, wanted: list[str]) -> str:
    """Names the subfolder that has all of them."""
    for name in sorted(_names(directory)):
        if all((directory / name / file).is_file() for file in wanted):
            return f"; they are in {shlex.quote(str(directory / name))}"
    return ""
