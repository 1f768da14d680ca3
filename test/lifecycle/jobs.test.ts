/** Many durable jobs: a backlog is processed as fast as the server can. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { addDocuments } from '#contract/resources/documents.ts'
import { getMigrationStatus, migrateDocument } from '#contract/resources/migrations.ts'
import { sharedServer } from '#testing/server.ts'

const JOBS = 30

describe('jobs', () => {
  test('accepted together do not each wait for a poll', async () => {
    const server = await sharedServer()
    const client = await server.newKey()
    const organizationId = 'organization'
    const names = (prefix: string) => Array.from({ length: JOBS }, (_, index) => `${prefix} ${index}`)
    const [together, alone] = [names('together'), names('alone')]
    const documents = [...together, ...alone].map((documentId) => ({ documentId }))
    await client.call(addDocuments, { organizationId, createOrganization: true, documents })
    const accept = (documentId: string) =>
      client.call(migrateDocument, { organizationId, documentId, newDocumentId: `new ${documentId}` })
    const finish = async (migrationId = '') => {
      while ((await client.call(getMigrationStatus, { organizationId, migrationId })).status !== 'completed')
        await sleep(20)
    }
    const took = async (work: () => Promise<void>) => {
      const began = performance.now()
      await work()
      return performance.now() - began
    }
    const aloneMs = await took(async () => {
      for (const name of alone) await finish((await accept(name)).migrationId)
    })
    const togetherMs = await took(async () => {
      for (const { migrationId } of await Promise.all(together.map(accept))) await finish(migrationId)
    })
    // A single job is started by the call that accepts it.
    assert.ok(togetherMs < 2 * aloneMs, `together they took ${togetherMs} ms, one after the other ${aloneMs} ms`)
  })
})
