"""The messages between the parent and its worker processes, over a pipe."""

from dataclasses import dataclass, field

from etl.ledger import FileProgress
from etl.rejects import Reject, Repair
from etl.rows.layout import Layout
from etl.sql import STAGING
from etl.tables import Field


@dataclass(frozen=True)
class Task:
    """Load (or only read) the rest of a file.

    `parents` holds the loaded ids of its parent tables as serialised bitmaps. A missing one was loaded by an earlier
    run and is read back from staging.
    """

    layout: Layout
    start: FileProgress
    parents: dict[str, bytes]
    load_id: int
    chunk_bytes: int
    database_url: str | None
    """None: read and clean only."""
    schema: str = STAGING
    """That of another than a load has its tables, and no ledger."""

    @property
    def name(self) -> str:
        return self.layout.table.name

    @property
    def waits_for(self) -> frozenset[str]:
        return self.layout.table.parents


@dataclass(frozen=True)
class SetsTask:
    """Make the search sets of one chunk of products."""

    chunk: int
    load_id: int
    database_url: str
    fields: dict[str, tuple[Field, ...]]
    """Declared ones by table."""

    @property
    def name(self) -> str:
        return f"search chunk {self.chunk}"

    @property
    def waits_for(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True)
class ChunkRead:
    """How much of a file is read; its last chunk is not committed yet."""

    table: str
    progress: FileProgress


@dataclass(frozen=True)
class ChunkDone:
    """A chunk is committed (or, in a dry run, read)."""

    table: str
    progress: FileProgress
    rejects: list[Reject] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    """Those of a load are in the database instead."""


@dataclass(frozen=True)
class TaskDone:
    """A task is finished; `loaded` is the serialised bitmap of a file's ids."""

    name: str
    loaded: bytes = b""


@dataclass(frozen=True)
class TaskFailed:
    """The worker cannot continue; the message is for the operator."""

    name: str
    message: str


Progressed = ChunkRead | ChunkDone | TaskDone
Report = Progressed | TaskFailed
