"""Why a request is refused: a status, a code for programs, and a message that repeats nothing of the request."""

from __future__ import annotations

from typing import Any

#: Each code with its status and its meaning.
CODES = {
    "bad_request": (400, "The request is not of the form that the description says."),
    "bad_json": (400, "The body is no JSON in UTF-8, or one that reads in two ways."),
    "unauthorized": (401, "The bearer token is missing or another one."),
    "not_found": (404, "There is nothing at this path."),
    "method_not_allowed": (405, "The path takes another method."),
    "length_required": (411, "A body comes with its Content-Length; chunked ones are not taken."),
    "too_large": (413, "The body or the batch is larger than the service takes."),
    "not_json": (415, "The body has another Content-Type than application/json."),
    "wrong_host": (421, "The Host is not this machine: a page of elsewhere may have sent the request."),
    "unknown_secret": (422, "The plan does not know the secret: refuse it."),
    "pending_secret": (422, "The secret was counted and has no set yet: refuse it until the plan is updated."),
    "bad_scope": (422, "The scope names nobody."),
    "unknown_lineage": (422, "No plan that is served is of this lineage."),
    "refused": (422, "The library refuses it: the message says why."),
    "internal": (500, "An error of the service, counted in its metrics."),
    "busy": (503, "Too many requests at a time: try again after Retry-After seconds."),
}
STATUSES = sorted({200, *(status for status, _ in CODES.values())})


class RequestProblem(Exception):
    """A request that is refused; `at` is the index of the item at fault, if several were asked for."""

    def __init__(self, code: str, message: str = "", at: int | None = None) -> None:
        self.code, (self.status, meaning) = code, CODES[code]
        self.message, self.at = message or meaning, at
        super().__init__(self.message)

    def to_dict(self) -> dict[str, Any]:
        """The body of the answer."""
        place = {} if self.at is None else {"at": self.at}
        return {"error": {"code": self.code, "message": self.message, **place}}
