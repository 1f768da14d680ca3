"""The tour of the guides, against the server of COMMONHOLD_URL."""

import os
import unittest
from collections.abc import Mapping

from commonhold import Commonhold, CommonholdError
from commonhold.v2.api.api_keys import api_keys_create
from commonhold.v2.api.documents import documents_add, documents_get
from commonhold.v2.api.folders import folders_add, folders_get
from commonhold.v2.api.migrations import migrations_migrate
from commonhold.v2.api.organizations import organizations_add
from commonhold.v2.api.permissions import permissions_add, permissions_check, permissions_remove
from commonhold.v2.api.user_tokens import user_tokens_generate
from commonhold.v2.api.workspaces import workspaces_create

URL = os.environ.get("COMMONHOLD_URL", "")
ROADMAP: Mapping[str, object] = {"type": "document", "id": "roadmap", "organizationId": "acme"}
PLANS: Mapping[str, object] = {"type": "folder", "id": "plans", "organizationId": "acme"}


def new_key() -> Commonhold:
    workspace = Commonhold(URL).call(workspaces_create, {"ownerEmail": "ada@example.com", "name": "Ada"}).result.data
    owner = Commonhold(URL, workspace_id=workspace.id, auth_token=workspace.auth_token)
    key = owner.call(
        api_keys_create, {"ownerEmail": "ada@example.com", "type": "testing", "createAuthToken": True}
    ).result.data
    return Commonhold(URL, api_key=key.api_key, auth_token=str(key.auth_token))


@unittest.skipIf(URL == "", "COMMONHOLD_URL names no server")
class Tour(unittest.TestCase):
    client: Commonhold

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = new_key()
        cls.client.call(organizations_add, {"organizations": [{"organizationId": "acme"}]})
        restricted = {"folderId": "plans", "folderName": "Plans", "accessType": "restricted"}
        cls.client.call(folders_add, {"organizationId": "acme", "folders": [restricted]})
        documents = [{"documentId": "roadmap"}, {"documentId": "budget"}]
        for _ in range(2):  # the second call gets the response of the first
            added = cls.client.call(
                documents_add,
                {"organizationId": "acme", "folderId": "plans", "documents": documents},
                idempotency_key="first-documents",
            )
            assert all(one.success for one in added.result.data.additional_properties.values())

    def allowed(self, client: Commonhold, check: Mapping[str, object]) -> bool:
        return client.call(permissions_check, {"checks": [check]}).result.data.checks[0].allowed

    def test_pages(self) -> None:
        pages = list(self.client.pages(documents_get, {"organizationId": "acme", "pageSize": 1}))
        self.assertEqual(len(pages), 2)

    def test_access_of_a_user(self) -> None:
        grant = {"user": {"userId": "ada"}, "permissions": {"resources": [{**PLANS, "accessRole": "viewer"}]}}
        self.client.call(permissions_add, grant)
        self.assertTrue(self.allowed(self.client, {"userId": "ada", "resource": ROADMAP}))
        self.assertFalse(self.allowed(self.client, {"userId": "bob", "resource": ROADMAP}))
        asked = []

        def token() -> str:
            asked.append(True)
            return str(self.client.call(user_tokens_generate, {"userId": "ada"}).result.data.token)

        self.assertTrue(self.allowed(Commonhold(URL, user_token=token), {"resource": ROADMAP}))
        self.assertEqual(len(asked), 1)
        self.client.call(permissions_remove, {"userId": "ada", "permissions": {"resources": [PLANS]}})
        self.assertFalse(self.allowed(self.client, {"userId": "ada", "resource": ROADMAP}))

    def test_migration(self) -> None:
        ids = {"documentId": "budget", "newDocumentId": "budget-2027"}
        started = self.client.call(migrations_migrate, {"organizationId": "acme", **ids, "dryRun": True})
        self.assertEqual(started.result.status, "success")

    def test_errors(self) -> None:
        with self.assertRaises(CommonholdError) as raised:
            self.client.call(folders_get, {"organizationId": "nobody"})
        self.assertEqual(raised.exception.reason, "organization_does_not_exist")
        self.assertIsNotNone(raised.exception.request_id)
