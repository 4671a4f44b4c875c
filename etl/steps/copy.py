"""Read and clean the six files of DIR and copy their rows into the staging schema. Resumes a stopped copy."""

from dataclasses import replace

from etl.context import Context
from etl.database import STAGING, read_sql, with_server_of
from etl.files import fingerprinted_layouts, read_files, unchanged_files
from etl.ledger import Load, Progress, begin_load, progress_of, set_step, unfinished_load
from etl.limits import check_ceiling, check_disk
from etl.losses import check_losses
from etl.rows.layout import Layout


def run(context: Context) -> None:
    """Copies what is not copied yet. Other files or another campus begin a new load."""
    check_losses(context)
    options = context.options
    input_fingerprint, layouts = fingerprinted_layouts(options)
    load = _load(context, input_fingerprint, layouts)
    context.load_id = load.id
    progress = progress_of(context.connection, load.id)
    _tell(context, load, progress)
    # At any step: an earlier run may have read it under a higher ceiling.
    for layout in layouts:
        check_ceiling(layout.table.file, layout.size, progress[layout.table.file], options.max_reject_percent)
    if load.step == "begin":
        reachable = with_server_of(context.connection, options.database_url)
        with unchanged_files(options, load.fingerprint, layouts):
            read_files(replace(options, database_url=reachable), context.display, layouts, progress, load.id, {}, {})
        set_step(context.connection, load.id, "copy")


def _load(context: Context, input_fingerprint: str, layouts: list[Layout]) -> Load:
    """The load to resume, or a new one with an empty staging schema."""
    options, connection = context.options, context.connection
    unfinished = unfinished_load(connection)
    if unfinished and unfinished.fingerprint == input_fingerprint:
        set_step(connection, unfinished.id, unfinished.step)  # it runs again
        return unfinished
    check_disk(connection, sum(layout.size for layout in layouts), STAGING)
    with connection.transaction():
        load = begin_load(connection, options.directory, input_fingerprint, options.campus)
        connection.execute(f"DROP SCHEMA IF EXISTS {STAGING} CASCADE")
        connection.execute(f"CREATE SCHEMA {STAGING}")
        for name in ("001_tables", "002_documents"):
            connection.execute(read_sql(f"schema/{name}.sql", schema=STAGING))
    return load


def _tell(context: Context, load: Load, progress: Progress) -> None:
    chunks = sum(file.chunks for file in progress.values())
    if chunks:
        context.display.say(f"load {load.id} resumes: {chunks} chunks are already committed")
    else:
        context.display.say(f"load {load.id} begins")
