/** Many durable jobs: a backlog is processed as fast as the server can. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { addDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { patient } from '#testing/run/mode.ts'
import { sharedServer } from '#testing/server.ts'

describe('jobs', () => {
  test('accepted together do not each wait for a poll', async () => {
    const server = await sharedServer()
    const client = await server.newKey()
    const organizationId = 'organization'
    const documents = Array.from({ length: 40 }, (_, index) => ({ documentId: `document ${index}` }))
    await client.call(addDocuments, { organizationId, createOrganization: true, documents })
    const began = Date.now()
    const accepted = await Promise.all(
      documents.map(({ documentId }) =>
        client.call(migrateDocument, { organizationId, documentId, newDocumentId: `new ${documentId}` }),
      ),
    )
    for (const { migrationId = '' } of accepted) {
      const finished = async () =>
        (await client.call(getMigrationStatus, { organizationId, migrationId })).status === 'completed'
      while (!(await finished()) && Date.now() - began < patient(15_000)) await sleep(20)
    }
    const tookMs = Date.now() - began
    assert.ok(tookMs < patient(15_000), `40 migrations took ${tookMs} ms`)
  })
})
