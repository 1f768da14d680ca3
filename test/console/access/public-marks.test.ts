/** Lists of access in the console mark resources that are public by themselves or by default, because there a grant limits nobody. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { addInvitation } from '#contract/resources/invitations.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { violationsInBothSchemes } from '../support/accessibility.ts'
import { openConsole } from '../support/console.ts'
import { newWorkspace } from '../support/sign-in.ts'

const { server, visit } = await openConsole()
const organizationId = 'acme'
/** `plain` has the default of the key, which is public. */
const IDS = ['plain', 'open', 'shut']
const PUBLIC = ['plain', 'open']

async function newCompany() {
  const somebody = await newWorkspace(server.url)
  const { client } = somebody
  await client.call(updateKeyConfig, { defaultDocumentAccessType: 'public' })
  const documents = [
    { documentId: 'plain' },
    { documentId: 'open', accessType: 'public' as const },
    { documentId: 'shut', accessType: 'restricted' as const },
  ]
  await client.call(addDocuments, { organizationId, createOrganization: true, documents })
  await client.call(addUserGroups, { organizationId, organizationUserGroups: [{ groupId: 'staff' }] })
  const on = IDS.map((id) => ({ type: 'document' as const, id, organizationId, accessRole: 'viewer' as const }))
  await client.call(addGrants, {
    grants: on.flatMap((one) => [
      { userId: 'ada', ...one },
      { groupId: 'staff', ...one },
    ]),
  })
  for (const documentId of IDS)
    await client.call(addInvitation, { organizationId, type: 'doc_user', documentId, email: 'grace@example.com' })
  return somebody
}

/** Waits until exactly the rows of public resources are marked. */
async function expectMarks(page: Page, table: string, rowOf: (id: string) => RegExp): Promise<void> {
  const row = (id: string) =>
    page
      .getByRole('table', { name: table })
      .getByRole('row')
      .filter({ hasText: rowOf(id) })
  const mark = (id: string) => row(id).getByText('everyone', { exact: true }).filter({ visible: true })
  for (const id of PUBLIC) await mark(id).first().waitFor()
  assert.equal(await mark('shut').count(), 0, table)
  assert.deepEqual(await violationsInBothSchemes(page), [], table)
}

describe('a public resource', () => {
  it('is marked in the grants of a person and a group, in invitations, reviews and the matrix', async () => {
    const somebody = await newCompany()
    const at = (path: string) => visit(`keys/${somebody.apiKey}/${path}`, { as: somebody })
    const named = (id: string) => new RegExp(id)
    const user = await at(`users/user?userId=ada&organizationId=${organizationId}`)
    await expectMarks(user.page, 'Accessible resources', named)
    await expectMarks(user.page, `Grants in ${organizationId}`, named)
    const group = await at(`groups?organizationId=${organizationId}&groupId=staff`)
    await expectMarks(group.page, 'Grants of the group', named)
    const invitations = await at(`invitations?organizationId=${organizationId}`)
    await expectMarks(invitations.page, 'Invitations', named)
    const review = await at(`access-review?organizationId=${organizationId}`)
    await expectMarks(review.page, 'Grants', named)
    const { page } = await at(`matrix?organizationId=${organizationId}`)
    const head = (id: string) => page.getByRole('columnheader').filter({ hasText: id })
    for (const id of PUBLIC) await head(id).getByLabel('everyone has access').waitFor()
    assert.equal(await head('shut').getByLabel('everyone has access').count(), 0)
    assert.deepEqual(await violationsInBothSchemes(page), [])
    for (const { faults } of [user, group, invitations, review]) assert.deepEqual(faults, [])
  })
})
