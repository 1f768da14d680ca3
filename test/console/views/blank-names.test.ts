/** Records whose names are only spaces, or characters that are not drawn, are shown by their ids, so that they can be read and opened. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { addGrants } from '#contract/access/grants.ts'
import { addFolders } from '#contract/resources/folders.ts'
import { addOrganizations } from '#contract/resources/organizations.ts'
import { setProfiles } from '#contract/users/profiles.ts'
import { addUserGroups } from '#contract/users/user-groups.ts'
import { addUsers } from '#contract/users/users.ts'
import { address, newCompany, organizationId } from '../support/company.ts'
import { openConsole } from '../support/console.ts'

const { server, visit } = await openConsole()

const BLANKS = { spaces: '   ', 'zero-width': '\u200B\u200D', ideographic: '\u3000\u3164\u034F\uFE0F' }

it('a record with a blank name is shown and opened by its id', async () => {
  const company = await newCompany(server)
  const { client, apiKey } = company
  const blanks = Object.entries(BLANKS)
  const organizations = blanks.map(([id, organizationName]) => ({ organizationId: id, organizationName }))
  await client.call(addOrganizations, { organizations })
  const folders = blanks.map(([folderId, folderName]) => ({ folderId, folderName, parentFolderId: 'root' }))
  await client.call(addFolders, { organizationId, folders })
  const users = blanks.map(([userId, name]) => ({ userId, name, accessRole: 'viewer' as const }))
  await client.call(addUsers, { organizationId, users })
  const organizationUserGroups = blanks.map(([groupId, groupName]) => ({ groupId, groupName }))
  await client.call(addUserGroups, { organizationId, organizationUserGroups })
  const { page, faults } = await visit('', { as: company })
  const folder = { organizationId, type: 'folder', id: 'spaces' }
  for (const view of [
    'organizations',
    address('organizations/resources', { organizationId }),
    'users',
    address('users', { organizationId }),
    address('groups', { organizationId }),
    address('access', folder),
  ]) {
    await page.goto(`${server.url}/console/keys/${apiKey}/${view}`)
    const main = page.getByRole('main')
    const link = (id: string) => main.getByRole('row').getByRole('link', { name: id, exact: true }).first()
    for (const id of Object.keys(BLANKS)) await link(id).waitFor()
    await link('spaces').click()
  }
  for (const [view, title] of [
    [address('access', folder), 'spaces'],
    [address('matrix', { organizationId: 'spaces' }), 'Matrix of spaces'],
    [address('users/user', { userId: 'spaces' }), 'spaces'],
  ] as const) {
    await page.goto(`${server.url}/console/keys/${apiKey}/${view}`)
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }
  assert.deepEqual(faults, [])
})

it('sentences name a record with a blank name by its id', async () => {
  const company = await newCompany(server)
  const { client, apiKey } = company
  await client.call(setProfiles, { users: [{ userId: 'spaces', name: BLANKS.ideographic }] })
  const folders = [{ folderId: 'zero-width', folderName: BLANKS['zero-width'], parentFolderId: 'root' }]
  await client.call(addFolders, { organizationId, folders })
  const folder = { organizationId, type: 'folder' as const, id: 'zero-width' }
  await client.call(addGrants, { grants: [{ ...folder, userId: 'spaces', accessRole: 'viewer' }] })
  const { page, faults } = await visit('', { as: company })
  const main = page.getByRole('main')
  for (const [view, sentence] of [
    ['events', /gave user spaces viewer on folder zero-width/],
    [address('why', { ...folder, userId: 'spaces' }), /User "spaces" may view folder "zero-width"/],
    [address('changes', folder), /had access to zero-width/],
  ] as const) {
    await page.goto(`${server.url}/console/keys/${apiKey}/${view}`)
    await main.getByText(sentence).first().waitFor()
  }
  await page.goto(`${server.url}/console/keys/${apiKey}/${address('access-review', { organizationId })}`)
  await main.getByRole('radiogroup', { name: 'Decision about spaces on zero-width' }).waitFor()
  await page.goto(`${server.url}/console/keys/${apiKey}/${address('access', folder)}`)
  await main.getByRole('button', { name: 'Actions for spaces' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByText('Revoke the grants of \u2068spaces\u2069 on').waitFor()
  assert.deepEqual(faults, [])
})
