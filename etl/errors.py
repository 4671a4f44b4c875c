"""The two ways a run ends badly; both messages say what to do next. And any error in one line."""

RUN_ROLES = "run db/roles.sql as superuser and use the role catalog_loader"
"""The next step wherever a right is missing."""


class LoadFailed(Exception):
    """Work was begun and cannot go on (exit status 1). What is served stays as it was."""


class Refused(Exception):
    """Nothing was begun: wrong input, wrong option, another loader (exit status 2)."""


def one_line(error: Exception) -> str:
    """What an error says, without line ends; a file's with its name first."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split())
