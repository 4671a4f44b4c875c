"""The two ways a run ends badly; both messages say what to do next."""


class LoadFailed(Exception):
    """Work was begun and cannot go on (exit status 1). What is served stays as it was."""


class Refused(Exception):
    """Nothing was begun: wrong input, wrong option, another loader (exit status 2)."""
