"""Puts the command that was typed into messages that name the next one."""

import re
import shlex

_SAME = re.compile(r"\b[Rr]un the same command(?P<again> again)?(?: with (?P<option>--[a-z-]+)(?: (?P<value>\w+))?)?")
_OTHER = re.compile(
    r"`(?P<words>(?:prepare|copy|index|replay|documents|search|verify|swap|unswap|status|tune|export|upsert|load)\b[^`]*)`"
)


def name_commands(message: str, typed: list[str]) -> str:
    """Replaces "the same command", `status`, `load DIR` and so on by whole commands.

    `typed` has the words that were typed (npm run load -- DIR). Without any, the message stays as it is.
    """
    if not typed:
        return message
    others = _others(typed)
    message = _OTHER.sub(lambda found: f"`{others} {found['words']}`" if others else found[0], message)
    return _SAME.sub(lambda found: _same(found, typed), message)


def _same(found: re.Match[str], typed: list[str]) -> str:
    words = typed
    if found["option"]:
        words = [*_without(typed, found["option"]), found["option"], *filter(None, [found["value"]])]
    run = found[0][:3]
    return f"{run} `{shlex.join(words)}`{found['again'] or ''}"


def _without(typed: list[str], option: str) -> list[str]:
    """The words without an option that gets another value, ready for more options of the loader."""
    kept = [word for word, before in zip(typed, ["", *typed], strict=False) if option not in (word, before)]
    kept = [word for word in kept if not word.startswith(f"{option}=")]
    if typed[:3] == ["npm", "run", "load"] or typed[:2] == ["npm", "start"]:
        kept += ["--"] * (2 - kept.count("--"))
    return kept


def _others(typed: list[str]) -> str:
    """The words before another command of the loader. None after `npm start`: its stack has ended."""
    if typed[0] != "npm":
        return shlex.quote(typed[0])
    if typed[1] == "start":
        return ""
    own = typed[: typed.index("--", 4)] if "--" in typed[4:] else typed
    state = [word for word, before in zip(own, ["", *own], strict=False) if _is_state(word) or before == "--state"]
    return shlex.join(["npm", "run", "etl", "--", *state])


def _is_state(word: str) -> bool:
    return word == "--state" or word.startswith("--state=")
