/** A server is killed while it sends mails: each mail arrives, and duplicates have the same Message-ID. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { createWorkspace } from '#contract/workspace/workspaces.ts'
import { eventually } from '#testing/eventually.ts'
import { createLastingStore, type ServerProcess, startProcess } from '#testing/processes/process.ts'
import { patient } from '#testing/run/mode.ts'
import { type ReceivedMail, startMailServer } from '#testing/stand-ins/mail-server.ts'

const ROUNDS = 4
const KEYS_PER_ROUND = 5
/** The time after which a server counts as never recovering. */
const RECOVERY_MS = patient(120_000)

/** The number of API keys, whose owners are notified. */
async function createKeys({ client }: ServerProcess, owners: readonly string[]): Promise<void> {
  const workspace = await client.call(createWorkspace, { ownerEmail: 'max@example.com' })
  const caller = client.with({
    'x-service-workspace-id': workspace.id,
    'x-service-auth-token': workspace.authToken,
  })
  for (const ownerEmail of owners)
    await caller.call(createApiKey, { ownerEmail, type: 'testing', useEmailService: true })
}

test('mails of a killed server arrive, and duplicates have the same Message-ID', async (t) => {
  const post = await startMailServer()
  const store = await createLastingStore()
  const settings = { ...store.settings, SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' }
  const expected: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startProcess(settings)
    const owners = Array.from({ length: KEYS_PER_ROUND }, (_, key) => `owner.${round}.${key}@example.com`)
    await createKeys(server, owners)
    expected.push(...owners)
    await sleep(3_000 + Math.random() * 3_000) // about when they are sent
    await server.kill('SIGKILL')
  }
  const last = await startProcess(settings)
  const arrived = () => Map.groupBy(post.mails, ({ recipients: [to = ''] }) => to)
  await eventually('all mails', () => (arrived().size === expected.length ? true : undefined), RECOVERY_MS)
  await last.kill('SIGTERM')
  assert.deepEqual([...arrived().keys()].toSorted(), expected.toSorted())
  const isOne = (mails: readonly ReceivedMail[]) => new Set(mails.map(({ messageId }) => messageId)).size === 1
  for (const [to, mails] of arrived()) assert.ok(isOne(mails), to)
  t.annotate(`${post.mails.length} mails for ${expected.length} events`)
})

test('a mail that was being sent when its server was killed arrives through the next server', async () => {
  const ids: (string | undefined)[] = []
  let hangs = true
  const post = await startMailServer({
    onData: (stream, _session, done) => {
      let raw = ''
      stream.on('data', (data: Buffer) => {
        raw += data.toString()
      })
      stream.on('end', () => {
        ids.push(/^Message-ID: (.+)\r$/im.exec(raw)?.[1])
        if (!hangs) done()
      })
    },
  })
  const store = await createLastingStore()
  const settings = { ...store.settings, SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' }
  const first = await startProcess(settings)
  await createKeys(first, ['owner@example.com'])
  await eventually('mail that hangs', () => (ids.length === 1 ? true : undefined))
  await first.kill('SIGKILL')
  hangs = false
  const second = await startProcess(settings)
  await eventually('the same mail once more', () => (ids.length === 2 ? true : undefined), RECOVERY_MS)
  await second.kill('SIGTERM')
  assert.equal(new Set(ids).size, 1)
  const db = await store.open()
  const { rows } = await db.query('select state, error from mails')
  await db.close()
  assert.deepEqual(rows, [{ state: 'sent', error: null }])
})
