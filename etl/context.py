"""The context that a step works with."""

from dataclasses import dataclass

import psycopg

from etl.config import Options
from etl.errors import Refused
from etl.ledger import Load, set_step, unfinished_load
from etl.progress import Display

STEPS = ["begin", "copy", "index", "replay", "documents", "search", "verify", "swap"]
"""In order. A restart resumes after the last finished step. Only a load with --as-of has the step `replay`."""


@dataclass
class Context:
    """`connection` holds the loader's lock; steps open more for work."""

    options: Options
    connection: psycopg.Connection
    display: Display
    load_id: int | None = None
    """The load that this run works on, once known. A failure is recorded there."""

    def load_after(self, step: str) -> Load:
        """The load in staging, which must have finished `step`.

        Raises:
            Refused: when there is none, or it has not finished that step.
        """
        load = unfinished_load(self.connection)
        if load is None:
            raise Refused("nothing is being loaded: run `load DIR` or `copy DIR` first")
        if STEPS.index(load.step) < STEPS.index(step):
            following = self._following(load).replace("copy", "copy DIR")
            raise Refused(f"load {load.id} has only finished {load.step!r}: run `{following}` first")
        self.load_id = load.id
        set_step(self.connection, load.id, load.step)  # it runs again, however it ended before
        return load

    def _following(self, load: Load) -> str:
        following = STEPS[STEPS.index(load.step) + 1]
        return "documents" if following == "replay" and load.as_of is None else following
