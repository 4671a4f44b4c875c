"""Reads files of JSON that an operator writes, and names all their mistakes at once."""

import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from etl.errors import Refused

_SHOWN = 30
"""Mistakes that are listed."""


def read_json(path: Path) -> tuple[str, Any]:
    """The text of a file and its value.

    Raises:
        Refused: when it is not JSON in UTF-8, or an object has a member twice, of which readers take either one.
    """
    try:
        content = path.read_text(encoding="utf-8-sig")
        return content, json.loads(content, object_pairs_hook=_without_repeats)
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read ({error}): name a file of UTF-8") from None
    except json.JSONDecodeError as error:
        is_left_over = error.doc[: error.pos].rstrip().endswith(",") and error.doc[error.pos : error.pos + 1] in "]}"
        hint = ", as there is a comma too many before it" if is_left_over else ""
        at = f"line {error.lineno}, column {error.colno}"
        raise Refused(f"{path} is no JSON: {error.msg} in {at}{hint}; correct and try again") from None
    except KeyError as error:
        raise Refused(f"{path} has {error.args[0]!r} twice in one object: remove one of both") from None


def _without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise KeyError(name)
        found[name] = value
    return found


def mistakes_by_schema(schema: dict[str, Any], given: object) -> list[str]:
    """Finds what a JSON Schema refuses; its own word `mistake` says it for alternatives and missing members."""
    errors = sorted(
        Draft202012Validator(schema).iter_errors(given), key=lambda error: [str(part) for part in error.path]
    )
    mistakes = []
    for error in errors:
        own = error.schema.get("mistake") if error.validator in ("anyOf", "oneOf", "required", "pattern") else None
        place = _place(error.absolute_path)
        if error.validator == "additionalProperties":
            mistakes += [f"{place}: {mistake}" for mistake in _unknown_members(error)]
            continue
        if error.validator == "pattern":  # of a name, which is no place of its own
            place += f": {error.instance!r}"
        mistakes.append(f"{place} {own}" if own else f"{place}: {error.message}")
    return list(dict.fromkeys(mistakes))


def _unknown_members(error: ValidationError) -> list[str]:
    names = list(error.schema["properties"])
    unknown = [name for name in error.instance if name not in names]
    near = [difflib.get_close_matches(name, names, n=1) for name in unknown]
    return [
        f"{name!r} is none of {', '.join(names)}" + (f"; did you mean {meant[0]!r}?" if meant else "")
        for name, meant in zip(unknown, near, strict=True)
    ]


def refuse_mistakes(path: Path, mistakes: list[str]) -> None:
    """
    Raises:
        Refused: names all of them, when there are some.
    """
    if mistakes:
        more = [f"and {len(mistakes) - _SHOWN} more"] if len(mistakes) > _SHOWN else []
        lines = "\n  ".join([*mistakes[:_SHOWN], *more])
        raise Refused(
            f"{path} has {len(mistakes)} mistake{'s' * (len(mistakes) > 1)}; correct and try again:\n  {lines}"
        )


def _place(path: Iterable[str | int]) -> str:
    written = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return written.removeprefix(".") or "the file"
