/** Failed items of a call are outcomes in its result, or an error. */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { OPERATIONS } from '#contract/operations.ts'
import { METHODS } from '#sdk/generated/methods.ts'
import { ItemFailureError, isFound } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { sharedServer } from '#testing/server.ts'

const server = await sharedServer()
const organizationId = 'acme'

async function newClients() {
  const key = await server.newKey()
  const client = apiKeyClient(server.url, key)
  await client.documents.add({ organizationId, createOrganization: true, documents: [{ documentId: 'plan' }] })
  return { client, strict: apiKeyClient(server.url, key, { throwOnItemFailure: true }) }
}

async function failureOf(call: Promise<unknown>): Promise<ItemFailureError> {
  const error = await call.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ItemFailureError, String(error))
  return error
}

describe('isFound', () => {
  it('distinguishes records from ids that were not found, whatever the names of the metadata', async () => {
    const { client } = await newClients()
    const documents = [{ documentId: 'plan', success: false, code: 'not-found', message: 'no', retryable: false }]
    await client.documents.update({ organizationId, documents })
    const found = await client.documents.get({ organizationId, documentIds: ['plan', 'nothing'] })
    assert.deepEqual(found.map(isFound), [true, false])
    const organizations = await client.organizations.get({ organizationIds: ['nobody', organizationId] })
    assert.deepEqual(organizations.map(isFound), [false, true])
    await client.userGroups.add({ organizationId, organizationUserGroups: [{ groupId: 'design' }] })
    const groups = await client.userGroups.get({ organizationId, organizationUserGroupIds: ['design', 'sales'] })
    assert.deepEqual(groups.map(isFound), [true, false])
  })
})

describe('throwOnItemFailure', () => {
  const documents = [{ documentId: 'plan' }, { documentId: 'budget' }]

  it('throws an error that names the call and the failed items, after the others were changed', async () => {
    const { client, strict } = await newClients()
    const error = await failureOf(strict.documents.add({ organizationId, documents }))
    assert.equal(error.operation, 'documents.add')
    assert.partialDeepStrictEqual(error.items, [{ id: 'plan', code: 'already-exists', retryable: false }])
    assert.equal(
      error.message,
      `documents.add: 1 of 2 items failed. "plan" (already-exists): ${error.items[0]?.message}`,
    )
    assert.partialDeepStrictEqual(error.result, { budget: { success: true } })
    assert.equal((await client.documents.get({ organizationId })).length, 2)
  })

  it('is also an option of a call, which overrides the option of the client', async () => {
    const { client, strict } = await newClients()
    await failureOf(client.documents.add({ organizationId, documents }, { throwOnItemFailure: true }))
    const result = await strict.documents.add({ organizationId, documents }, { throwOnItemFailure: false })
    assert.equal(result.plan?.code, 'already-exists')
  })

  it('throws for ids that were not found, also from pages', async () => {
    const { strict } = await newClients()
    const data = { organizationId, documentIds: ['plan', 'nothing'] }
    for (const call of [() => strict.documents.get(data), () => Array.fromAsync(strict.documents.get.pages(data))]) {
      const { items, operation } = await failureOf(call())
      assert.equal(operation, 'documents.get')
      assert.deepEqual(
        items.map(({ id, code }) => [id, code]),
        [['nothing', 'not-found']],
      )
    }
  })

  it('names the new id of a document that was migrated', async () => {
    const { client, strict } = await newClients()
    const ids = { organizationId, documentId: 'plan', newDocumentId: 'plan-2' }
    const { migrationId = '' } = await client.migrations.migrate(ids)
    while ((await client.migrations.get({ organizationId, migrationId })).status !== 'completed');
    const { items } = await failureOf(strict.documents.delete({ organizationId, documentIds: ['plan'] }))
    assert.equal(items[0]?.migratedTo, 'plan-2')
  })

  it('shows the first items of many', async () => {
    const { strict } = await newClients()
    const documentIds = Array.from({ length: 8 }, (_, index) => `d${index}`)
    const { message, items } = await failureOf(strict.documents.delete({ organizationId, documentIds }))
    assert.match(message, /^documents\.delete: 8 of 8 items failed\. "d0" \(not-found\): .* And 3 more\.$/)
    assert.equal(items.length, 8)
  })

  it('does not mistake metadata for the outcome of an item', async () => {
    const { strict } = await newClients()
    const outcome = { success: false, code: 'not-found', message: 'no', retryable: false }
    await strict.users.add({ organizationId, users: [{ userId: 'ada', ...outcome }] })
    assert.equal((await strict.users.get({ organizationId }))[0]?.success, false)
    assert.equal((await strict.userData.get({ userId: 'ada' })).profile?.success, false)
  })

  it('holds for every operation whose result has items', () => {
    const methods = Object.values(METHODS).flatMap((groups) =>
      Object.values<Record<string, string>>(groups).flatMap((group) => Object.values(group)),
    )
    const withItems = methods.flatMap((method) => (/items$/.test(method) ? [`/v2/${method.split(' ')[0]}`] : []))
    const expected = OPERATIONS.filter(
      ({ name, result }) => JSON.stringify(result ?? {}).includes('"retryable"') || name === 'threads.add',
    )
    // A call that also accepts user tokens is a method of two clients.
    assert.deepEqual([...new Set(withItems)].sort(), expected.map(({ path }) => path).sort())
  })
})
