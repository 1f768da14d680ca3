/** A read that ends after a later one changes nothing: it shows the past, or failed in it. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { type Reply, startReceiver } from '#testing/stand-ins/receiver.ts'
import { Connection } from '../../components/connection/connection.ts'
import { InboxStore } from '../../components/store/inbox.ts'
import { ThreadStore } from '../../components/store/threads.ts'

const THREAD = { annotationId: 't', lastUpdated: 1, comments: [], from: { userId: 'ada' } }
const NOTIFICATION = { id: 'n', isUnread: true, metadata: { documentId: 'd' } }
const READS = /\/(commentannotations|notifications)\/get$/
const TOKEN = `.${Buffer.from(JSON.stringify({ sub: 'ada' })).toString('base64url')}.`

const success = (data: object): Reply => ({
  status: 200,
  body: JSON.stringify({ result: { status: 'success', data } }),
})
const REFUSED: Reply = { status: 403, body: JSON.stringify({ error: { status: 'PERMISSION_DENIED', message: 'No.' } }) }

/** Starts two reads. The second one gets its reply first, and the first one then gets `late`. */
async function readTwice(load: (connection: Connection) => Promise<void>, reply: Reply, late: Reply): Promise<void> {
  const replies = [Promise.withResolvers<Reply>(), Promise.withResolvers<Reply>()] as const
  const waiting = [...replies]
  const server = await startReceiver(({ path }) => (READS.test(path) && waiting.shift()?.promise) || success({}))
  const connection = new Connection({ url: new URL(server.url).origin, token: TOKEN })
  const loads = []
  for (const count of [1, 2]) {
    loads.push(load(connection))
    await server.until(count, ({ path }) => READS.test(path))
  }
  replies[1].resolve(reply)
  await loads[1]
  replies[0].resolve(late)
  await loads[0]
  server.close()
}

/** Returns a function that loads what one store, made with the first connection, shows. */
function loading<Store extends { load(): Promise<void> }>(make: (connection: Connection) => Store) {
  let store: Store | undefined
  return {
    load: (connection: Connection) => {
      store ??= make(connection)
      return store.load()
    },
    store: () => store as Store,
  }
}

const inboxes = () => loading((connection) => new InboxStore(connection, 'acme', () => {}))

for (const [name, late] of [
  ['that found no server', 'break'],
  ['that was refused', REFUSED],
] as const) {
  it(`a read of threads ${name} does not replace what was read later`, async () => {
    const { load, store } = loading(
      (connection) => new ThreadStore(connection, { organizationId: 'acme', documentId: 'd' }, () => {}),
    )
    await readTwice(load, success([THREAD]), late)
    assert.deepEqual([store().error, store().threads.length], [undefined, 1])
  })

  it(`a read of the inbox ${name} does not replace what was read later`, async () => {
    const { load, store } = inboxes()
    await readTwice(load, success([NOTIFICATION]), late)
    assert.deepEqual([store().error, store().unread], [undefined, 1])
  })
}

it('an inbox that was read earlier does not replace one that was read later', async () => {
  const { load, store } = inboxes()
  await readTwice(load, success([NOTIFICATION]), success([]))
  assert.equal(store().unread, 1)
})
