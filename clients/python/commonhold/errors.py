"""What a call raises that failed."""

from __future__ import annotations

import httpx

GATEWAYS = (502, 503, 504)


class CommonholdError(Exception):
    """A call that failed. `status` and `reason` are for programs, `message` is for people.

    Without a response of the server, `reason` is `unreachable` or `not_commonhold`.
    """

    def __init__(
        self,
        status: str,
        reason: str,
        message: str,
        *,
        details: object = None,
        request_id: str | None = None,
        retry_after: float = 0,
    ) -> None:
        super().__init__(f"{message} ({reason})")
        self.status = status
        self.reason = reason
        self.message = message
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after


def error_of(response: httpx.Response) -> CommonholdError:
    """Returns the error that a response describes."""
    try:
        error = response.json()["error"]
        return CommonholdError(
            error["status"],
            error["reason"],
            error["message"],
            details=error.get("details"),
            request_id=error.get("requestId"),
            retry_after=retry_after_of(response),
        )
    except (ValueError, KeyError, TypeError):
        status = "UNAVAILABLE" if response.status_code in GATEWAYS else "INTERNAL"
        message = f"the response is not that of Commonhold: {response.status_code}"
        return CommonholdError(status, "not_commonhold", message, retry_after=retry_after_of(response))


def retry_after_of(response: httpx.Response) -> float:
    """Returns the seconds that the server asks to wait."""
    value = response.headers.get("retry-after", "")
    return float(value) if value.isdigit() else 0
