/**
 * Streams over two servers on one database: changes through one server arrive on the other, and a page continues there
 * when its own is killed.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addPermissions, removePermissions } from '#contract/access/permissions.ts'
import { setDocumentAccess } from '#contract/resources/documents.ts'
import { generateToken } from '#contract/users/user-tokens.ts'
import { createUserClient, type ReceivedLiveEvent } from '#sdk/index.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { until } from '#testing/eventually.ts'
import { createLastingStore, startProcess } from '#testing/processes/process.ts'
import { addThread, newKeyWithDocuments, organizationId } from '#testing/threads.ts'

const FOLLOWED = { organizationId, documentIds: ['roadmap'] }

/** Follows through one server, and collects the events until the test ends. */
function follow(url: string, userToken: string, lastEventId?: string): ReceivedLiveEvent[] {
  const stop = new AbortController()
  const received: ReceivedLiveEvent[] = []
  const options = { signal: stop.signal, ...(lastEventId && { lastEventId }) }
  const reading = async () => {
    for await (const event of createUserClient({ url, userToken }).live(FOLLOWED, options)) received.push(event)
  }
  reading().catch(() => {}) // stopped
  cleanUp(() => stop.abort())
  return received
}
const idsOf = (events: readonly ReceivedLiveEvent[]) =>
  events.flatMap(({ event, data }) => (event === 'thread' ? [data.annotationId] : []))

describe('two servers on one database', () => {
  it('serve each other’s streams: changes, the end of access, and pages of a server that was killed', async () => {
    const store = await createLastingStore()
    const settings = { ...store.settings, PUBLIC_URL: 'http://127.0.0.1:9' }
    const [one, other] = [await startProcess(settings), await startProcess(settings)]
    const key = await newKey(one.client)
    const through = other.client.with(key.headers)
    const { token } = await key.call(generateToken, { userId: 'ada' })
    const page = follow(one.url, token)
    await until('ready', () => page.some(({ event }) => event === 'ready'))

    const written = [await addThread(through, {}), await addThread(through, {})]
    await until('the threads of the other server', () => written.every((id) => idsOf(page).includes(id)))
    assert.deepEqual(idsOf(page), written, 'each once, in order')

    await one.kill('SIGKILL')
    const missed = [await addThread(through, {}), await addThread(through, {}), await addThread(through, {})]
    const resumed = follow(other.url, token, page.at(-1)?.lastEventId)
    await until('what was missed', () => missed.every((id) => idsOf(resumed).includes(id)))
    const since = idsOf(resumed).filter((id) => !written.includes(id))
    assert.deepEqual(since.toSorted(), missed.toSorted(), 'each once')

    const resources = [{ type: 'document' as const, id: 'roadmap', organizationId }]
    await through.call(removePermissions, { userId: 'ada', permissions: { resources } })
    await until('the end of access', () => resumed.some(({ event, data }) => event === 'document' && !data.open))
  })
})

/** Creates a data set in which ada can open `roadmap`. */
async function newKey(client: Awaited<ReturnType<typeof startProcess>>['client']) {
  const key = await newKeyWithDocuments({ newKey: () => client.newKey() })
  await key.call(setDocumentAccess, { organizationId, documentIds: ['roadmap'], accessType: 'restricted' })
  const resources = [{ type: 'document' as const, id: 'roadmap', organizationId }]
  await key.call(addPermissions, { user: { userId: 'ada' }, permissions: { resources } })
  return key
}
