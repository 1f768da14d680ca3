/** A read that ends after a later one changes nothing: it shows the past, or failed in it. */
import assert from 'node:assert/strict'
import { it } from 'vitest'
import { CallError } from '../../components/connection/call-error.ts'
import type { Connection } from '../../components/connection/connection.ts'
import { InboxStore } from '../../components/store/inbox.ts'
import { ThreadStore } from '../../components/store/threads.ts'

/** Returns a connection whose reads end when the test says so. */
function connectionOf(reads: PromiseWithResolvers<object>[]): Connection {
  const page = () => {
    const read = Promise.withResolvers<object>()
    reads.push(read)
    return read.promise
  }
  return { user: async () => ({ userId: 'ada' }), call: async () => ({}), page } as unknown as Connection
}

const THREAD = { annotationId: 't', lastUpdated: 1, comments: [], from: { userId: 'ada' } }
const NOTIFICATION = { id: 'n', isUnread: true, metadata: { documentId: 'd' } }
const settled = () => new Promise(setImmediate)

for (const [name, error] of [
  ['that took too long', new CallError('UNREACHABLE', 'It took too long.')],
  ['that was refused', new CallError('PERMISSION_DENIED', 'No.')],
] as const)
  it(`a read ${name} does not replace what was read later`, async () => {
    const reads: PromiseWithResolvers<object>[] = []
    const threads = new ThreadStore(connectionOf(reads), { organizationId: 'acme', documentId: 'd' }, () => {})
    const ofInbox: PromiseWithResolvers<object>[] = []
    const inbox = new InboxStore(connectionOf(ofInbox), 'acme', () => {})
    const loads = [threads.load(), threads.load(), inbox.load(), inbox.load()]
    await settled()
    reads[1]?.resolve({ data: [THREAD] })
    ofInbox[1]?.resolve({ data: [NOTIFICATION] })
    await settled()
    for (const read of [reads[0], ofInbox[0]]) read?.reject(error)
    await Promise.all(loads)
    assert.deepEqual([threads.error, threads.threads.length], [undefined, 1])
    assert.deepEqual([inbox.error, inbox.unread], [undefined, 1])
  })

it('an inbox that was read earlier does not replace one that was read later', async () => {
  const reads: PromiseWithResolvers<object>[] = []
  const inbox = new InboxStore(connectionOf(reads), 'acme', () => {})
  const loads = [inbox.load(), inbox.load()]
  reads[1]?.resolve({ data: [NOTIFICATION] })
  await settled()
  reads[0]?.resolve({ data: [] })
  await Promise.all(loads)
  assert.equal(inbox.unread, 1)
})
