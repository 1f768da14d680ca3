"""Lets a request on a document pass only if the signed-in user has access to the document."""

import asyncio
import logging
import os
from typing import Annotated, Literal

import httpx
from fastapi import Depends, HTTPException

from session import user_of

Role = Literal["viewer", "editor"]

TIMEOUT_SECONDS = 2
# One client for the whole process: it keeps its connections open.
commonhold = httpx.AsyncClient(
    base_url=os.environ["COMMONHOLD_URL"],
    headers={
        "x-service-api-key": os.environ["COMMONHOLD_API_KEY"],
        "x-service-auth-token": os.environ["COMMONHOLD_AUTH_TOKEN"],
    },
)


def require_access(at_least: Role):
    async def check(organization_id: str, document_id: str, user_id: Annotated[str | None, Depends(user_of)]) -> None:
        resource = {"type": "document", "id": document_id, "organizationId": organization_id}
        status = await status_for(user_id, resource, at_least)
        if status != 200:
            raise HTTPException(status)

    return check


async def status_for(user_id: str | None, resource: dict[str, str], at_least: Role) -> int:
    if user_id is None:
        return 401
    question = {"userId": user_id, "resource": resource, "atLeast": at_least}
    try:
        # The timeout of httpx bounds each read, this one the whole call.
        async with asyncio.timeout(TIMEOUT_SECONDS):
            response = await commonhold.post("/v2/auth/permissions/check", json={"data": {"checks": [question]}})
        match response.status_code, response.json():
            case 200, {"result": {"data": {"checks": [{"allowed": bool(allowed)}]}}}:
                return 200 if allowed else 403
            case 400, {"error": {"reason": "invalid_argument"}}:
                return 400  # no document has such an id
            case unexpected:
                raise RuntimeError(unexpected)
    except Exception:
        logging.exception("nobody knows whether the user has access: neither a pass nor a denial")
        return 503
