"""The two failures of a run, whose messages name the next step, and any error in one line."""

RUN_ROLES = "run db/roles.sql as superuser and use the role catalog_loader"
"""The next step wherever a right is missing."""


class LoadFailed(Exception):
    """Work began and cannot continue (exit status 1). What is served is unchanged."""


class Refused(Exception):
    """Nothing began: wrong input, wrong option, another loader (exit status 2)."""


def one_line(error: Exception) -> str:
    """The text of an error without line ends, with the file name first."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
