"""Makes ten calls with the client that openapi-python-client generates from the OpenAPI document, and compiles its patterns."""

import json
import os
import re

from commonhold import Client
from commonhold.api.documents import documents_add, documents_get, documents_update
from commonhold.api.folders import folders_add
from commonhold.api.grants import grants_list
from commonhold.api.organizations import organizations_add
from commonhold.api.permissions import permissions_add, permissions_check
from commonhold.api.users import users_add
from commonhold.models import (
    DocumentRecord,
    DocumentsAddRequest,
    DocumentsGetRequest,
    DocumentsUpdateRequest,
    Error,
    FoldersAddRequest,
    GrantsListRequest,
    OrganizationsAddRequest,
    PermissionsAddRequest,
    PermissionsCheckRequest,
    UsersAddRequest,
)

for pattern in json.loads(os.environ["PATTERNS"]):
    re.compile(pattern)

client = Client(
    base_url=os.environ["COMMONHOLD_URL"],
    headers={
        "x-service-api-key": os.environ["COMMONHOLD_API_KEY"],
        "x-service-auth-token": os.environ["COMMONHOLD_AUTH_TOKEN"],
    },
    raise_on_unexpected_status=True,
)


def call(operation, request, **data):
    answer = operation.sync(client=client, body=request.from_dict({"data": data}))
    return answer.error if isinstance(answer, Error) else answer.result


plan = {"type": "document", "id": "plan", "organizationId": "acme"}
documents = [{"documentId": "plan", "documentName": "Plan", "accessType": "restricted", "color": "red"}]

print(call(organizations_add, OrganizationsAddRequest, organizations=[{"organizationId": "acme"}]).data["acme"].success)
print(call(folders_add, FoldersAddRequest, organizationId="acme", folders=[{"folderId": "plans"}]).message)
print(call(documents_add, DocumentsAddRequest, organizationId="acme", folderId="plans", documents=documents).data["plan"].success)
print(call(users_add, UsersAddRequest, organizationId="acme", users=[{"userId": "ada", "name": "Ada"}]).data["ada"].success)
print(call(permissions_add, PermissionsAddRequest, user={"userId": "bob"}, permissions={"resources": [{**plan, "accessRole": "viewer"}]}).message)
for decision in call(permissions_check, PermissionsCheckRequest, checks=[{"userId": user, "resource": plan} for user in ("bob", "cyd")]).data.checks:
    print(decision.allowed, decision.reason.value)
print(call(documents_update, DocumentsUpdateRequest, organizationId="acme", documents=[{"documentId": "plan", "color": "blue"}]).data["plan"].success)
for one in call(documents_get, DocumentsGetRequest, organizationId="acme", documentIds=["plan", "nothing"]).data:
    print(one["color"] if isinstance(one, DocumentRecord) else one.code.value)
print(len(call(grants_list, GrantsListRequest, organizationId="acme").data.grants))
error = call(documents_get, DocumentsGetRequest, organizationId="nobody")
print(error.status.value, error.reason)
