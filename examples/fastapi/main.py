"""An app with two routes on documents: viewers may read, editors may also write."""

from fastapi import Depends, FastAPI

from require_access import require_access

DOCUMENT = "/organizations/{organization_id}/documents/{document_id}"
app = FastAPI()


@app.get(DOCUMENT, dependencies=[Depends(require_access("viewer"))])
async def read(document_id: str) -> dict[str, str]:
    return {"read": document_id}


@app.put(DOCUMENT, dependencies=[Depends(require_access("editor"))])
async def write(document_id: str) -> dict[str, str]:
    return {"wrote": document_id}
