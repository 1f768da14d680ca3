/** The role `commenter` in exports, imports, promotions and the history of access (rules/access.md#commenters). */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { accessHistory } from '#sdk/access-history/history.ts'
import type { Client } from '#sdk/index.ts'
import { compare } from '#sdk/shared/promotion.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { exportTo, importFrom, importWhole } from '../moving/files.ts'

const server = await sharedServer()
const folder = temporaryFolder()
const newClient = async (): Promise<Client> => apiKeyClient(server.url, await server.newKey())
const THREE = ['viewer' as const, 'commenter' as const, 'editor' as const]
const TWO = ['viewer' as const, 'editor' as const]
const organizationId = 'acme'
const ACME = { type: 'organization', id: organizationId } as const
const place = { type: 'document', id: 'roadmap' } as const
const ROADMAP = { ...place, organizationId }

async function withCommenters(): Promise<Client> {
  const client = await newClient()
  await client.keyConfig.update({ accessRoles: THREE, defaultAccessRole: 'commenter' })
  await client.organizations.add({ organizations: [{ organizationId }] })
  await client.documents.add({ organizationId, documents: [{ documentId: 'roadmap' }] })
  await client.grants.add({
    grants: [
      { userId: 'ada', ...ACME, accessRole: 'commenter' },
      { userId: 'ada', ...ROADMAP, accessRole: 'commenter', expiresAt: 4_000_000_000 },
    ],
  })
  const invitation = { email: 'grace@example.com', organizationId, type: 'org_user' } as const
  await client.invitations.add({ ...invitation, accessRole: 'commenter' })
  return client
}

describe('an export of a key with commenters', () => {
  it('is the same after an import into a key without the role, because the import enables the role first', async () => {
    const [from, to] = [await withCommenters(), await newClient()]
    const file = path.join(folder, 'commenters.ndjson')
    const exported = await exportTo(file, from)
    assert.match(exported, /"accessRoles":\["viewer","commenter","editor"\]/)
    await importWhole(file, to)
    assert.equal(await exportTo(path.join(folder, 'again.ndjson'), to), exported)
  })

  it('of an earlier version, which does not name the roles, does not change the roles of the key', async () => {
    const client = await withCommenters()
    const file = path.join(folder, 'earlier.ndjson')
    const records = [
      { record: 'export', format: 1, of: 'apiKey' },
      { record: 'settings', defaultDocumentAccessType: 'restricted' },
      { record: 'end', records: 1 },
    ]
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    await importWhole(file, client)
    assert.deepEqual((await client.keyConfig.get()).accessRoles, THREE)
  })

  it('reports grants of commenters that a key without the role refuses', async () => {
    const client = await newClient()
    const file = path.join(folder, 'refused.ndjson')
    const records = [
      { record: 'export', format: 1, of: 'apiKey' },
      { record: 'organization', organizationId },
      { record: 'grant', userId: 'ada', ...ACME, accessRole: 'commenter' },
      { record: 'grant', userId: 'bob', ...ACME, accessRole: 'viewer' },
      { record: 'end', records: 3 },
    ]
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const { failed, errorsFile = '' } = await importFrom(file, client)
    assert.equal(failed, 1)
    const { message } = JSON.parse(readFileSync(errorsFile, 'utf8'))
    assert.equal(message, 'accessRole must be one of "viewer", "editor"')
    const { grants } = await client.grants.list({ organizationId })
    assert.deepEqual(
      grants.map(({ userId }) => userId),
      ['bob'],
    )
  })
})

describe('a promotion', () => {
  it('enables and disables the roles and the default role of the target, in any order', async () => {
    const [source, target] = [await newClient(), await newClient()]
    for (const settings of [
      { accessRoles: THREE, defaultAccessRole: 'commenter' as const },
      { accessRoles: TWO, defaultAccessRole: 'viewer' as const },
    ]) {
      await source.keyConfig.update(settings)
      const { differences } = await compare(source, target, ['settings'], false)
      assert.deepEqual(differences.map(({ what }) => what).sort(), ['accessRoles', 'defaultAccessRole'])
      for (const { make } of differences) await make(target)
      const { accessRoles, defaultAccessRole } = await target.keyConfig.get()
      assert.deepEqual({ accessRoles, defaultAccessRole }, settings)
    }
  })
})

describe('the history of access', () => {
  it('has commenters between viewers and editors, as the server decided at that time', async () => {
    const client = await withCommenters()
    await client.keyConfig.update({ defaultDocumentAccessType: 'restricted' })
    const roleNow = async () => {
      const { checks } = await client.permissions.check({ checks: [{ userId: 'ada', resource: ROADMAP }] })
      return checks[0]?.accessRole
    }
    const seen: { at: number; role: string | undefined }[] = []
    for (const accessRole of [undefined, 'viewer', 'editor', 'viewer'] as const) {
      if (accessRole !== undefined) await client.grants.add({ grants: [{ userId: 'ada', ...ROADMAP, accessRole }] })
      const { events } = await client.events.list({ pageSize: 1 })
      seen.push({ at: events[0]?.changedAt ?? 0, role: await roleNow() })
      await sleep(2)
    }
    assert.deepEqual(
      seen.map(({ role }) => role),
      ['commenter', 'commenter', 'editor', 'commenter'],
    )
    const to = seen.at(-1)?.at ?? 0
    for (const { at, role } of seen) {
      const { rows } = await accessHistory(client, { organizationId, subject: { place }, from: at, to })
      const before = rows.find((row) => 'userId' in row && row.userId === 'ada')?.before
      assert.equal(before?.accessRole, role)
    }
  })
})
