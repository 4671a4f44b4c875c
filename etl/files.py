"""The six files together: checked before any work, then read by worker processes under a ceiling of rejects."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from etl.config import Options
from etl.errors import LoadFailed, Refused
from etl.ledger import Progress, Reasons
from etl.limits import check_ceiling
from etl.messages import ChunkRead, Progressed, Task, TaskDone
from etl.missing import require_files, require_folder
from etl.pool import Pool
from etl.progress import Display
from etl.rejects import rejects_path, repairs_path, write_rejects, write_repairs
from etl.rows.layout import Layout, open_regular, read_layout
from etl.sql import SQL
from etl.tables import BY_NAME, TABLES

_EDGE_BYTES = 1 << 16
_LOADER = Path(__file__).parent


def read_layouts(directory: Path) -> list[Layout]:
    """Checks the beginning of all six files before any work."""
    require_folder(directory)
    try:
        str(directory.resolve()).encode()  # the ledger stores it
    except UnicodeEncodeError:
        raise Refused(f"the name of {directory} is not UTF-8: give the folder another name") from None
    require_files(directory, [table.file for table in TABLES])
    return [read_layout(directory / table.file, table) for table in TABLES]


def fingerprint(directory: Path, campus: str) -> str:
    """A digest of the input: sizes, times and both ends of every file, the campus, and our own rules.

    A restart with the same digest resumes the load. Hashing whole files would cost a third of the load; no accident
    keeps size, time and ends. Our own rules are part of it because another release may make other rows and replies.
    """
    digest = hashlib.sha256(campus.encode())
    for path in _own_rules():
        digest.update(path.read_bytes())
    for table in TABLES:
        path = directory / table.file
        stat = path.stat()
        with open_regular(path) as file:
            head = file.read(_EDGE_BYTES)
            file.seek(max(0, stat.st_size - _EDGE_BYTES))
            tail = file.read(_EDGE_BYTES)
        digest.update(f"{table.file} {stat.st_size} {stat.st_mtime_ns} ".encode())
        digest.update(head + tail)
    return digest.hexdigest()


def _own_rules() -> list[Path]:
    """The SQL of tables, keys, replies and search, and the code that cleans rows and cuts words."""
    sql = [*SQL.glob("schema/*.sql"), *SQL.glob("documents/*.sql"), *SQL.glob("search/*.sql"), SQL / "indexes.sql"]
    code = [*_LOADER.glob("rows/*.py"), *_LOADER.glob("search/*.py"), _LOADER / "chunk.py", _LOADER / "tables.py"]
    return sorted(sql) + sorted(code)


def fingerprinted_layouts(options: Options) -> tuple[str, list[Layout]]:
    """The fingerprint and, read before it, the layouts: no chunk of a file that changed since is committed."""
    layouts = read_layouts(options.directory)
    return fingerprint(options.directory, options.campus), layouts


def read_files(
    options: Options,
    display: Display,
    layouts: list[Layout],
    progress: Progress,
    load_id: int,
    reasons: Reasons,
    rules: Reasons,
) -> None:
    """Reads and loads what is not read yet. A dry run loads nothing, and counts `reasons` and `rules`.

    `progress`, `reasons` and `rules` are kept up to date for the report of a failed run.

    Raises:
        LoadFailed: when a file passes the ceiling or a worker cannot continue.
    """
    sizes = {layout.table.file: layout.size for layout in layouts}

    def on_report(report: Progressed) -> None:
        if isinstance(report, TaskDone):
            return
        file = BY_NAME[report.table].file
        display.file_goes_on(file, report.progress)
        if isinstance(report, ChunkRead):
            return
        if options.dry_run:
            is_first = progress[file].chunks == 0
            write_rejects(options.rejects, file, report.rejects, is_first)
            if report.repairs:
                is_first = not repairs_path(options.rejects, file).exists()
                write_repairs(options.rejects, file, report.repairs, is_first)
            _count(reasons.setdefault(file, {}), [reject.reason for reject in report.rejects])
            _count(rules.setdefault(file, {}), [repair.rule for repair in report.repairs])
        progress[file] = report.progress
        # Not earlier: the rejects of a chunk that is not committed cannot be read.
        check_ceiling(file, sizes[file], report.progress, options.max_reject_percent)

    def task(layout: Layout) -> Task:
        url = None if options.dry_run else options.database_url
        return Task(layout, progress[layout.table.file], {}, load_id, options.chunk_bytes, url)

    for file, size in sizes.items():
        if options.dry_run:  # lists of an earlier run would look like those of this one
            rejects_path(options.rejects, file).unlink(missing_ok=True)
            repairs_path(options.rejects, file).unlink(missing_ok=True)
        display.file_begins(file, size, progress[file])
    unread = [layout for layout in layouts if not progress[layout.table.file].is_done]
    try:
        with Pool(options.jobs, on_report) as pool:
            pool.run([task(layout) for layout in unread])
    finally:
        display.files_end()
    products = progress[BY_NAME["products"].file]
    if products.loaded + products.repaired == 0:
        raise LoadFailed(
            "product.csv holds no row that can be loaded, and a catalog without products is not served: export it again"
        )


def _count(counts: dict[str, int], names: list[str]) -> None:
    for name in names:
        counts[name] = counts.get(name, 0) + 1


@contextmanager
def unchanged_files(options: Options, expected: str, layouts: list[Layout]) -> Iterator[None]:
    """Fails the reading of files that changed since these layouts and this fingerprint: columns may have moved.

    Raises:
        LoadFailed: when they changed, which may also be why they could not be read.
    """
    try:
        yield
    finally:
        try:
            is_same = all(layout.is_of(layout.path.stat()) for layout in layouts)
        except FileNotFoundError:
            is_same = False
        if not is_same or fingerprint(options.directory, options.campus) != expected:
            raise LoadFailed(
                "the files changed while they were read: wait until all six are complete, then load them again"
            )
