"""Read and clean the six files of DIR and copy their rows into the staging schema. Resumes a stopped copy."""

import psycopg

from etl.comparisons import set_as_of
from etl.context import Context
from etl.declaration import DECLARABLE, Declaration
from etl.files import declared_in, fingerprinted_layouts, ignored_in, read_files, unchanged_files
from etl.later_writes import check_cursor
from etl.ledger import Load, Progress, begin_load, progress_of, set_step, unfinished_load
from etl.limits import check_ceiling, check_disk
from etl.losses import check_losses
from etl.manifest import read_manifest
from etl.rows.layout import Layout
from etl.sql import STAGING, read_sql
from etl.tables import BY_NAME


def run(context: Context) -> None:
    """Copies what is not copied yet. Other files or another campus begin a new load."""
    options = context.options
    input_fingerprint, layouts = fingerprinted_layouts(options)
    unfinished = _unfinished(context, input_fingerprint)
    if options.as_of:
        check_cursor(context.connection, options.as_of)
    elif unfinished is None or unfinished.as_of is None:
        check_losses(context)
    load = unfinished or _begin(context, input_fingerprint, layouts)
    context.load_id = load.id
    progress = progress_of(context.connection, load.id)
    _tell(context, load, progress)
    for line in ignored_in(layouts):
        context.display.say(line)
    # At any step: an earlier run may have read it under a higher ceiling.
    for layout in layouts:
        check_ceiling(layout, progress[layout.table.file], options.max_reject_percent)
    if load.step == "begin":
        with unchanged_files(options, load.fingerprint, layouts):
            read_files(options, context.display, layouts, progress, load.id, {}, {})
        set_step(context.connection, load.id, "copy")


def _unfinished(context: Context, input_fingerprint: str) -> Load | None:
    """The load to resume. Its rows may have no other writes than those that are asked for now."""
    options, connection = context.options, context.connection
    load = unfinished_load(connection)
    if load is None or load.fingerprint != input_fingerprint:
        return None
    if load.as_of is not None and (options.drop_writes or (options.as_of and not load.is_as_of(options.as_of))):
        return None
    if load.as_of is None and options.as_of:
        set_as_of(connection, load.id, options.as_of)
        load = unfinished_load(connection)
        assert load is not None
    set_step(connection, load.id, load.step)  # it runs again
    return load


def _begin(context: Context, input_fingerprint: str, layouts: list[Layout]) -> Load:
    """A new load with an empty staging schema."""
    options, connection = context.options, context.connection
    check_disk(connection, sum(layout.size for layout in layouts), STAGING)
    with connection.transaction():
        load = begin_load(connection, options.directory, input_fingerprint, options.campus, options.as_of)
        if manifest := read_manifest(options.directory):
            connection.execute("UPDATE catalog_meta.loads SET hidden = %s WHERE id = %s", [manifest.hidden, load.id])
        connection.execute(f"DROP SCHEMA IF EXISTS {STAGING} CASCADE")
        connection.execute(f"CREATE SCHEMA {STAGING}")
        for name in ("001_tables", "002_documents"):
            connection.execute(read_sql(f"schema/{name}.sql", schema=STAGING))
        _declare(connection, load.id, declared_in(layouts))
    return load


def _declare(connection: psycopg.Connection, load_id: int, declaration: Declaration | None) -> None:
    """Stores the declaration. Rows that a write or a replay makes name no fields: they have the empty object."""
    if declaration is None:
        return
    connection.execute(
        "INSERT INTO catalog_meta.declarations (load_id, content) VALUES (%s, %s)", [load_id, declaration.content]
    )
    for name in DECLARABLE:
        if declaration.of(BY_NAME[name]):
            connection.execute(f"ALTER TABLE {STAGING}.{name} ALTER COLUMN fields SET DEFAULT '{{}}'")


def _tell(context: Context, load: Load, progress: Progress) -> None:
    chunks = sum(file.chunks for file in progress.values())
    if chunks:
        context.display.say(f"load {load.id} resumes: {chunks} chunks are already committed")
    else:
        context.display.say(f"load {load.id} begins")
