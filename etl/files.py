"""The six files together: checked before any work, then read by worker processes under a ceiling of rejects."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from etl.config import Options
from etl.declaration import DECLARABLE, FILE, Declaration, read_declaration
from etl.errors import LoadFailed, Refused
from etl.ledger import Progress, Reasons
from etl.limits import check_ceiling
from etl.messages import ChunkDone, ChunkRead, Progressed, Task, TaskDone
from etl.missing import require_files, require_folder
from etl.pool import Pool
from etl.progress import Display
from etl.rejects import rejects_path, repairs_path, write_rejects, write_repairs
from etl.rows.layout import Layout, open_regular, read_layout
from etl.sql import SQL, STAGING
from etl.tables import BY_NAME, TABLES

_EDGE_BYTES = 1 << 16
_SHOWN_COLUMNS = 10
_LOADER = Path(__file__).parent


def read_layouts(directory: Path) -> list[Layout]:
    """Checks the beginning of all six files before any work."""
    require_folder(directory)
    try:
        str(directory.resolve()).encode()  # the ledger stores it
    except UnicodeEncodeError:
        raise Refused(f"the name of {directory} is not UTF-8: give the folder another name") from None
    require_files(directory, [table.file for table in TABLES])
    declaration = read_declaration(directory) or Declaration()
    return [read_layout(directory / table.file, table, declaration.of(table)) for table in TABLES]


def ignored_in(layouts: list[Layout]) -> list[str]:
    """A line for each file with columns that nothing declares: a forgotten or misspelt fields.json looks so."""
    lines = []
    for layout in layouts:
        shown = ", ".join(layout.ignored[:_SHOWN_COLUMNS]) + (", …" if len(layout.ignored) > _SHOWN_COLUMNS else "")
        remedy = "; `fields DIR` guesses their lines of fields.json" if layout.table.name in DECLARABLE else ""
        if layout.ignored:
            lines.append(f"{layout.table.file}: columns that nothing declares are left out: {shown}{remedy}")
    return lines


def declared_in(layouts: list[Layout]) -> Declaration | None:
    """The declaration that these layouts follow; None when it has no field."""
    fields = {layout.table.name: {field.name: field for field in layout.fields} for layout in layouts}
    return Declaration(**{name: fields[name] for name in DECLARABLE}) if any(fields.values()) else None


def fingerprint(directory: Path, campus: str) -> str:
    """A digest of the input: sizes, times and both ends of every file, fields.json, the campus, and our own rules.

    A restart with the same digest resumes the load. Hashing whole files would cost a third of the load; no accident
    keeps size, time and ends. Our own rules are part of it because another release may make other rows and replies.
    """
    digest = hashlib.sha256(campus.encode())
    for path in _own_rules():
        digest.update(path.read_bytes())
    for table in TABLES:
        digest.update(edges_of(directory / table.file))
    if (declaration := directory / FILE).is_file():
        digest.update(declaration.read_bytes())
    return digest.hexdigest()


def edges_of(path: Path) -> bytes:
    """Name, size, time and both ends of a file."""
    stat = path.stat()
    with open_regular(path) as file:
        head = file.read(_EDGE_BYTES)
        file.seek(max(0, stat.st_size - _EDGE_BYTES))
        return f"{path.name} {stat.st_size} {stat.st_mtime_ns} ".encode() + head + file.read(_EDGE_BYTES)


def _own_rules() -> list[Path]:
    """The SQL of tables, keys, replies and search, and the code that cleans rows and cuts words."""
    sql = [*SQL.glob("schema/*.sql"), *SQL.glob("documents/*.sql"), *SQL.glob("search/*.sql"), SQL / "indexes.sql"]
    code = [*_LOADER.glob("rows/*.py"), *_LOADER.glob("search/*.py")]
    code += [_LOADER / name for name in ("chunk.py", "declaration.py", "tables.py")]
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
    schema: str = STAGING,
) -> None:
    """Reads and loads what is not read yet. A dry run loads nothing; it and a part count `reasons` and `rules`.

    `progress`, `reasons` and `rules` are kept up to date for the report of a failed run.

    Raises:
        LoadFailed: when a file passes the ceiling or a worker cannot continue.
    """
    layout_of = {layout.table.file: layout for layout in layouts}
    files = {layout.table.name: layout.table.file for layout in layouts}
    is_part = schema != STAGING
    is_listed = options.dry_run or is_part

    def on_report(report: Progressed) -> None:
        if isinstance(report, TaskDone):
            return
        file = files[report.table]
        display.file_goes_on(file, report.progress)
        if isinstance(report, ChunkRead):
            return
        if is_listed:
            _list(options.rejects, file, report, progress[file].chunks == 0)
            _count(reasons.setdefault(file, {}), [reject.reason for reject in report.rejects])
            _count(rules.setdefault(file, {}), [repair.rule for repair in report.repairs])
        progress[file] = report.progress
        # Not earlier: the rejects of a chunk that is not committed cannot be read.
        check_ceiling(layout_of[file], report.progress, options.max_reject_percent)

    def task(layout: Layout) -> Task:
        url = None if options.dry_run and not is_part else options.database_url
        return Task(layout, progress[layout.table.file], {}, load_id, options.chunk_bytes, url, schema)

    for file, layout in layout_of.items():
        if is_listed:  # lists of an earlier run would look like those of this one
            rejects_path(options.rejects, file).unlink(missing_ok=True)
            repairs_path(options.rejects, file).unlink(missing_ok=True)
        display.file_begins(file, layout.size, progress[file])
    unread = [layout for layout in layouts if not progress[layout.table.file].is_done]
    try:
        with Pool(options.jobs, on_report) as pool:
            pool.run([task(layout) for layout in unread])
    finally:
        display.files_end()
    if is_part:
        return
    products = progress[BY_NAME["products"].file]
    if products.loaded + products.repaired == 0:
        raise LoadFailed(
            "product.csv holds no row that can be loaded, and a catalog without products is not served: export it again"
        )


def _list(directory: Path, file: str, report: ChunkDone, is_first: bool) -> None:
    write_rejects(directory, file, report.rejects, is_first)
    if report.repairs:
        write_repairs(directory, file, report.repairs, not repairs_path(directory, file).exists())


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
