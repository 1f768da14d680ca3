/**
 * Resources inside a folder to which a user has access are counted at one moment: access that changes its source
 * meanwhile is not overlooked.
 */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { listPermittedUsers } from '#contract/access/access-lists.ts'
import { removePermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import type { Db, Session } from '#platform/db/db.ts'
import { newAcme, organizationId } from '#testing/acme.ts'
import { startServer } from '#testing/server.ts'

/** Called before the documents of a user are listed. */
let beforeDocuments: () => Promise<unknown> = async () => {}

/** Returns the same database, which calls `beforeDocuments`. */
const pausing = <Given extends Session>(db: Given): Given =>
  new Proxy(db, {
    get(target, property) {
      const value = Reflect.get(target, property, target) as unknown
      if (property === 'runSet')
        return async (...[statement, rows]: Parameters<Session['runSet']>) => {
          if (statement.name === 'permitted-resources.list-documents') await beforeDocuments()
          return target.runSet(statement, rows)
        }
      if (property === 'transaction')
        return (...[work, options]: Parameters<Db['transaction']>) =>
          (target as unknown as Db).transaction((session) => work(pausing(session)), options)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

const server = await startServer({}, pausing)

it('lists a user who loses a document of the folder after being granted another folder in it', async () => {
  const acme = await newAcme(server)
  await acme.key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await acme.addTree({ f: ['root', 'restricted'], empty: 'f' })
  await acme.addDocuments('f', { documentId: 'd' })
  await acme.grant('document', 'd', 'ada')
  const resource = { type: 'folder' as const, id: 'f', organizationId }
  let moves = 0
  beforeDocuments = async () => {
    if (moves++ !== 1) return // the first query of documents is for everyone
    await acme.grant('folder', 'empty', 'ada')
    const permissions = { resources: [{ type: 'document' as const, id: 'd', organizationId }] }
    await acme.key.call(removePermissions, { userId: 'ada', permissions })
  }
  const { users } = await acme.key.call(listPermittedUsers, { resource, inside: true })
  beforeDocuments = async () => {}
  assert.deepEqual(
    users.map(({ userId }) => userId),
    ['ada'],
  )
  assert.equal(moves, 2)
})
