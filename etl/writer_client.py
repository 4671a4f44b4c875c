"""Sends requests to the writer, each until it is answered whole: with its idempotency key, no write is done twice."""

import http.client
import json
import ssl
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from etl.errors import LoadFailed, Refused

_SILENCE_S = 65
"""A little more than the longest silence of the writer and of nginx."""
_PATIENCE_S = 60
"""How long a writer may answer nothing new: a restart, a failover and the swap of a load take less."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 3.0
_PASSES = {408, 409, 429, 500, 502, 503, 504}
"""Answers after which the same request may be done. 409: its first try is under way."""


@dataclass(frozen=True)
class Refusal:
    """A write that was not done."""

    kind: str
    id: int | None
    status: int
    problem: str


@dataclass(frozen=True)
class _Reply:
    status: int
    body: bytes
    retry_after_s: float

    def problem(self) -> str:
        try:
            found = json.loads(self.body)
            return str(found.get("detail") or found.get("title")).rstrip(".")
        except (ValueError, AttributeError):
            return f"status {self.status}"


@dataclass
class Writer:
    """A client of the writers at some URLs: when one fails, the next one is asked."""

    urls: tuple[str, ...]
    key: str
    reason: str
    """Stored with each revision."""
    _at: int = field(default=0, init=False)

    def require_scopes(self, scopes: list[str]) -> None:
        """Asks for writes that are refused for what they lack, after the key was looked at.

        Raises:
            Refused: when the key is wrong or lacks scopes; names all.
        """
        bodies = {"content": ("/bulk", "application/x-ndjson"), "stock": ("/stock", "application/json")}
        lacks = []
        for scope in scopes:
            path, kind = bodies[scope]
            reply = self._until_answered("POST", path, b"{}", {"Content-Type": kind})
            if reply.status == 403:
                lacks.append(scope)
            elif reply.status == 401:
                raise Refused(
                    f"the writer at {self.url} does not take the key of WRITER_KEY ({reply.problem()}): "
                    f"make one with the scopes {','.join(scopes)}"
                )
        if lacks:
            raise Refused(
                f"the key of WRITER_KEY lacks the scope{'s' * (len(lacks) > 1)} {' and '.join(lacks)}: "
                f"make one with the scopes {','.join(scopes)}"
            )

    def send(self, path: str, body: str, key: str) -> list[Refusal]:
        """Has all writes of a request done; returns those that the writer refuses for good.

        Raises:
            LoadFailed: when it answers nothing new for long, or refuses the whole request.
        """
        return self._bulk(body, key) if path == "/bulk" else self._stock(path, body, key)

    @property
    def url(self) -> str:
        return self.urls[self._at % len(self.urls)]

    def _bulk(self, body: str, key: str) -> list[Refusal]:
        headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": key}
        lines = body.split("\n")
        most = 0
        patience = _Patience(self)
        while True:
            reply = self._until_answered("POST", "/bulk", body.encode(), headers, patience)
            self._require(reply, 200)
            # The last line of a reply that was cut may be cut, too.
            answers = [json.loads(line) for line in reply.body.decode().split("\n")[:-1]]
            if answers and answers[-1].get("done"):
                return [
                    Refusal(
                        "product", json.loads(lines[each["line"] - 1])["id"], each["status"], _said(each["problem"])
                    )
                    for each in answers
                    if "problem" in each
                ]
            if len(answers) > most:
                most, patience = len(answers), _Patience(self)
            problem = answers[-1].get("problem") if answers else None
            patience.wait(_said(problem) if problem else "its reply was cut")

    def _stock(self, path: str, body: str, key: str) -> list[Refusal]:
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        reply = self._until_answered("POST", path, body.encode(), headers)
        patience = _Patience(self)
        while reply.status == 202 or (reply.status == 200 and json.loads(reply.body).get("state") == "logged"):
            patience.wait("what it has logged is not applied")
            position = json.loads(reply.body)["position"]
            reply = self._until_answered("GET", f"/writes/{position}", None, {})
        self._require(reply, 200)
        return [Refusal("sku", each["sku"], 409, each["reason"]) for each in json.loads(reply.body).get("rejected", [])]

    def _require(self, reply: _Reply, status: int) -> None:
        if reply.status != status:
            raise LoadFailed(
                f"the writer at {self.url} refuses the request ({reply.status}: {reply.problem()}): "
                "correct that, then run the same command again to resume"
            )

    def _until_answered(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], patience: "_Patience | None" = None
    ) -> _Reply:
        patience = patience or _Patience(self)
        while True:
            try:
                reply = self._request(method, path, body, headers)
            except (OSError, http.client.HTTPException) as error:
                patience.wait(" ".join(str(error).split()) or type(error).__name__)
                self._at += 1
                continue
            if reply.status not in _PASSES:
                return reply
            patience.wait(reply.problem(), reply.retry_after_s)

    def _request(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> _Reply:
        parts = urlsplit(self.url)
        host, port = parts.hostname or "", parts.port
        connection: http.client.HTTPConnection = (
            http.client.HTTPSConnection(host, port, timeout=_SILENCE_S, context=ssl.create_default_context())
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, port, timeout=_SILENCE_S)
        )
        own = {"Authorization": f"Bearer {self.key}", "X-Reason": _header(self.reason)}
        try:
            connection.request(method, parts.path.rstrip("/") + path, body, own | headers)
            response = connection.getresponse()
            try:
                received = response.read()
            except http.client.IncompleteRead as error:
                received = error.partial
            after = response.headers.get("Retry-After", "")
            return _Reply(response.status, received, float(after) if after.isdigit() else 0)
        finally:
            connection.close()


class _Patience:
    """Pauses between tries, longer each time, until a writer has answered nothing new for too long."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._end = time.monotonic() + _PATIENCE_S
        self._pause_s = _FIRST_PAUSE_S

    def wait(self, why: str, least_s: float = 0) -> None:
        """
        Raises:
            LoadFailed: when it is over.
        """
        if time.monotonic() >= self._end:
            raise LoadFailed(
                f"the writer at {self._writer.url} takes no writes ({why}): start it, or see its log; "
                "then run the same command again to resume"
            )
        time.sleep(max(self._pause_s, least_s))
        self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)


def _header(text: str) -> str:
    """As the writer reads it: UTF-8 in one line, of at most 500 characters."""
    return (
        "".join(each if each.isprintable() else "?" for each in text)[:500].encode("utf-8", "replace").decode("latin-1")
    )


def _said(problem: dict[str, Any]) -> str:
    """The detail of a problem, and where it is."""
    errors = [f"{each['pointer'].removeprefix('/body')} {each['detail']}" for each in problem.get("errors", [])]
    return "; ".join([problem["detail"], *errors])
