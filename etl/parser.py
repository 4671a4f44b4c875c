"""Refuses wrong words in one line that names the nearest right word and the command that lists all."""

import argparse
import difflib
import re
import shlex
from typing import NoReturn

from etl import config


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        text = self._explained(message)
        self.exit(2, f"refused: {text}{'' if text.endswith('?') else ';'} {self.prog} --help shows the options\n")

    def refuse_word(self, word: str) -> NoReturn:
        """Refuses a word that no option or argument takes."""
        if not word.startswith("-"):
            self.error(f"unexpected word {word!r} (quote a path that has spaces)")
        options = [option for option in self._option_string_actions if option.startswith("--")]
        near = difflib.get_close_matches(word.split("=")[0], options, n=1)
        self.error(f"unknown option {word!r}" + (f": did you mean {near[0]}?" if near else ""))

    def _explained(self, message: str) -> str:
        if choice := re.match(r"argument COMMAND: invalid choice: '(.*?)' \(choose from (.*)\)", message):
            commands = re.findall(r"[a-z]+", choice[2])
            near = difflib.get_close_matches(choice[1], commands, n=1)
            return f"no command {choice[1]!r}: " + (f"did you mean {near[0]}? " if near else "") + ", ".join(commands)
        missing = re.sub(r"^the following arguments are required: (.*)", r"\1 is missing", message)
        return re.sub(r"^argument (--[a-z-]+): expected one argument", r"\1 needs a value", missing).removeprefix(
            "argument "
        )


def called_as() -> str:
    """The words that call the loader, up to its own command."""
    typed = config.typed_command()
    if not typed:
        return "python -m etl"
    return "npm run etl --" if typed[0] == "npm" else shlex.quote(typed[0])
