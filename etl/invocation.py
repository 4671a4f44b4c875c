"""How the loader was called, for messages that name the command to type next."""

import re
import shlex

_SAME = re.compile(r"\b[Rr]un the same command(?P<again> again)?(?: with (?P<option>--[a-z-]+) (?P<value>\w+))?")
_OTHER = re.compile(r"`(?P<words>(?:prepare|copy|index|documents|verify|swap|unswap|status|load)\b[^`]*)`")


def name_commands(message: str, typed: list[str]) -> str:
    """Puts whole commands in the place of "the same command" and of `status`, `load DIR` and so on.

    `typed`: the words of what was typed (npm run load -- DIR); none: the message stays as it is.
    """
    if not typed:
        return message
    others = _others(typed)
    message = _OTHER.sub(lambda found: f"`{others} {found['words']}`" if others else found[0], message)
    return _SAME.sub(lambda found: _same(found, typed), message)


def _same(found: re.Match[str], typed: list[str]) -> str:
    words = typed
    if found["option"]:
        words = [*_without(typed, found["option"]), found["option"], found["value"]]
    run = found[0][:3]
    return f"{run} `{shlex.join(words)}`{found['again'] or ''}"


def _without(typed: list[str], option: str) -> list[str]:
    """The words without an option that gets another value, ending where the loader's options may follow."""
    kept = [word for word, before in zip(typed, ["", *typed], strict=False) if option not in (word, before)]
    kept = [word for word in kept if not word.startswith(f"{option}=")]
    if typed[:3] == ["npm", "run", "load"] or typed[:2] == ["npm", "start"]:
        kept += ["--"] * (2 - kept.count("--"))
    return kept


def _others(typed: list[str]) -> str:
    """The words before another command of the loader; none after `npm start`, whose stack has ended by then."""
    if typed[0] != "npm":
        return shlex.quote(typed[0])
    if typed[1] == "start":
        return ""
    own = typed[: typed.index("--", 4)] if "--" in typed[4:] else typed
    state = [word for word, before in zip(own, ["", *own], strict=False) if _is_state(word) or before == "--state"]
    return shlex.join(["npm", "run", "etl", "--", *state])


def _is_state(word: str) -> bool:
    return word == "--state" or word.startswith("--state=")
