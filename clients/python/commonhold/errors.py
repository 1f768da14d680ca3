"""What a call raises that failed."""

from __future__ import annotations

import json
import time
from datetime import timezone
from email.utils import parsedate_to_datetime

import httpx

# Reasons with a retryable status for which a retry fails until something is deleted.
LASTING = (
    "permission_provider_failed",
    "thread_full",
    "too_many_auth_tokens",
    "too_many_bytes",
    "too_many_domain_requests",
    "too_many_domains",
    "too_many_folders",
    "too_many_group_users",
    "too_many_operators",
    "too_many_pairs",
    "too_many_production_keys",
    "too_many_signing_keys",
    "too_many_webhook_endpoints",
    "too_many_webhook_messages",
    "too_much_inside",
    "too_many_workspace_tokens",
    "too_many_workspaces",
)


class CommonholdError(Exception):
    """A call that failed. `status` and `reason` are for programs, `message` is for people.

    Without a response of the server, `reason` is `unreachable`, `timed_out`, `credentials_unavailable`,
    `gateway_failed`, `not_commonhold` or `answer_unreadable`; with the last, a change may have been made.
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
        return error_of_gateway(response)


def error_of_unreadable(url: str, response: httpx.Response, cause: Exception) -> CommonholdError:
    """Returns the error of a response whose HTTP status is that of a success, and which cannot be read."""
    try:
        if json.loads(response.content)["result"]["status"] != "success":
            return error_of_other(url)
        what = f"has something that this version of the client does not know ({cause!r})"
    except (httpx.StreamError, UnicodeDecodeError, KeyError, TypeError):
        return error_of_other(url)
    except ValueError:
        if "json" not in response.headers.get("content-type", ""):
            return error_of_other(url)
        what = "is truncated or malformed JSON"
    message = f"the response of {url} {what}; a change may have been made"
    return CommonholdError("INTERNAL", "answer_unreadable", message)


def error_of_other(url: str) -> CommonholdError:
    """Returns the error of a response that is from another program."""
    return CommonholdError("INTERNAL", "not_commonhold", f"the response of {url} is not that of Commonhold")


def error_of_gateway(response: httpx.Response) -> CommonholdError:
    """Returns the error of a response that is from a gateway in front of the server, or from another program."""
    code = response.status_code
    if code == httpx.codes.TOO_MANY_REQUESTS:
        status, reason, message = "RESOURCE_EXHAUSTED", "rate_limited", "a gateway received too many requests"
    elif code == httpx.codes.REQUEST_ENTITY_TOO_LARGE:
        status, reason, message = "INVALID_ARGUMENT", "body_too_large", "a gateway does not accept a body this large"
    elif code >= httpx.codes.INTERNAL_SERVER_ERROR:
        status, reason, message = "UNAVAILABLE", "gateway_failed", "a gateway failed; is the server behind it running?"
    else:
        status, reason, message = "INTERNAL", "not_commonhold", "the response is not that of Commonhold"
    return CommonholdError(status, reason, f"{message} ({code})", retry_after=retry_after_of(response))


def retry_after_of(response: httpx.Response) -> float:
    """Returns the seconds that the server or a gateway asks to wait, as a number or as the date when the wait ends."""
    value = response.headers.get("retry-after", "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        end = parsedate_to_datetime(value)
        return max(0.0, (end if end.tzinfo else end.replace(tzinfo=timezone.utc)).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0
