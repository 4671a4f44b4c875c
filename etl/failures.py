"""The last line of a command that fails, which names the next step, and its exit status."""

import errno

import psycopg

from etl.config import typed_command
from etl.errors import RUN_ROLES, LoadFailed, Refused, one_line
from etl.invocation import name_commands

EXPECTED_ERRORS = (Refused, LoadFailed, psycopg.Error, OSError, KeyboardInterrupt)

_RESUME = "run the same command again to resume"
_AGAIN = "run the same command again"
_LOOK_FIRST = "see `status` for what is served before you run it again"
"""`unswap` exchanges: if it was done before the error, running it again would undo it."""

_MESSAGES: dict[tuple[type[psycopg.Error], ...], str] = {
    (
        psycopg.errors.UndefinedTable,
        psycopg.errors.UndefinedColumn,
        psycopg.errors.InvalidSchemaName,
    ): "{}; run `prepare` first",
    (psycopg.errors.InsufficientPrivilege,): "this role may not load ({}): " + RUN_ROLES,
    (psycopg.errors.ReadOnlySqlTransaction,): "this server only reads, as a replica does ({}): load on the primary. "
    "If it is the primary, default_transaction_read_only is on: ALTER DATABASE or ROLE ... RESET it",
    (psycopg.errors.DiskFull,): "the disk of PostgreSQL is full ({}); make room, then run the same command again",
    (psycopg.errors.LockNotAvailable,): (
        "another session holds a lock ({}): end it (see pg_stat_activity), then run the same command again"
    ),
    (psycopg.errors.QueryCanceled,): "another session cancelled a statement ({}); run the same command again to resume",
    (psycopg.errors.DeadlockDetected,): (
        "another session changes the same tables ({}): end it, then run the same command again to resume"
    ),
    (psycopg.errors.OutOfMemory,): (
        "PostgreSQL has too little memory ({}); run the same command again with --jobs 1 to resume with less"
    ),
}


def explain_failure(error: BaseException, command: str) -> tuple[str, int]:
    """The last line and exit status of a command that ended with one of EXPECTED_ERRORS."""
    line, status = _last_line(error, command)
    return name_commands(line, typed_command()), status


def _last_line(error: BaseException, command: str) -> tuple[str, int]:
    again = {"unswap": _LOOK_FIRST, "export": _AGAIN}.get(command, _RESUME)
    match error:
        case Refused():
            return f"refused: {error}", 2
        case LoadFailed():
            return f"failed: {error}", 1
        case psycopg.Error():
            return f"failed: {_explained(error, again)}", 1
        case OSError():
            remedy = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "fix that"
            return f"failed: {one_line(error)}; {remedy}, then {again}", 1
    return f"stopped; {again}", 1


def _explained(error: psycopg.Error, again: str) -> str:
    line = one_line(error)
    for kinds, message in _MESSAGES.items():
        if isinstance(error, kinds):
            return message.format(line)
    # psycopg calls many errors operational. Only these mean a lost connection: 08, 57P0x, or no code.
    code = error.sqlstate
    if isinstance(error, psycopg.OperationalError) and (code is None or code.startswith(("08", "57P"))):
        return f"PostgreSQL went away ({line}); when it is back, {again}"
    return f"{line}; {again}"
