/**
 * Mails reach their server at least once: with any response of the server, and after times without a server. Each test
 * waits some seconds for mails of its own server, so all run at the same time.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { describe, it } from 'vitest'
import { addPermissions } from '#contract/access/permissions.ts'
import { createApiKey } from '#contract/keys/api-keys.ts'
import { testEmailConfig } from '#contract/keys/service-configs.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { eventually } from '#testing/eventually.ts'
import { startServer, type TestServer } from '#testing/server.ts'
import { startMailServer, startSendGrid } from '#testing/stand-ins/mail-server.ts'
import { newCallers } from '../../../test/conformance/support/callers.ts'
import { CONNECTIONS_MAX } from './carriers/carriers.ts'

const MAIL_FROM = 'mail@commonhold.example'
const startSending = (SMTP_URL: string, more: Record<string, string> = {}) =>
  startServer({ SMTP_URL, MAIL_FROM, ...more })

let count = 0

/** A key whose owner gets a mail about it. */
async function newKey({ url, client, db }: TestServer, emailServiceConfig: object = {}) {
  const owner = `owner.${count++}@example.com`
  const { workspace } = await newCallers(url)
  const { apiKey, authToken = '' } = await workspace.call(createApiKey, {
    ownerEmail: owner,
    type: 'testing',
    createAuthToken: true,
    useEmailService: true,
    emailServiceConfig,
  })
  const key = client.with({ 'x-service-api-key': apiKey, 'x-service-auth-token': authToken })
  const row = async () => {
    const { rows } = await db.query('select state, error from mails where api_key_id = $1', [apiKey])
    return (rows as { state: string; error: string | null }[])[0]
  }
  const inState = (wanted: string) =>
    eventually(`mail that is ${wanted}`, async () => {
      const found = await row()
      return found?.state === wanted ? found : undefined
    })
  return { key, owner, row, inState }
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

describe.concurrent('a mail', () => {
  it('waits for a mail server that is down, and is sent when it is back', async () => {
    const before = await startMailServer()
    await before.stop()
    const { row, inState, owner } = await newKey(await startSending(before.url))
    await eventually('attempt in vain', async () => (await row())?.error ?? undefined)
    assert.match((await row())?.error ?? '', /ECONNREFUSED/)
    const back = await startMailServer({}, before.port)
    assert.deepEqual((await back.mailTo(owner)).recipients, [owner])
    assert.deepEqual(await inState('sent'), { state: 'sent', error: null })
    assert.equal(back.mails.length, 1)
  })

  it('is sent once more under the same Message-ID when the answer was lost', async () => {
    const sockets = new Set<Socket>()
    let lost = 0
    const post = await startMailServer({
      onData: (stream, _session, done) => {
        lost++
        stream.resume()
        stream.on('end', () => {
          if (lost > 1) return done()
          for (const socket of sockets) socket.destroy()
        })
      },
    })
    const inside: string[] = []
    const between = net.createServer((socket) => {
      const on = net.connect(post.port, '127.0.0.1')
      sockets.add(socket)
      socket.on('data', (data) => inside.push(data.toString())).pipe(on)
      on.pipe(socket)
      for (const end of [socket, on]) end.on('error', () => {})
      socket.on('close', () => on.destroy())
    })
    between.listen(0, '127.0.0.1')
    await once(between, 'listening')
    cleanUp(() => between.close())
    const { inState } = await newKey(await startSending(`smtp://127.0.0.1:${(between.address() as AddressInfo).port}`))
    await inState('sent')
    const ids = [...inside.join('').matchAll(/^Message-ID: (<.+>)\r$/gim)].map(([, id]) => id)
    assert.equal(ids.length, 2)
    assert.equal(new Set(ids).size, 1)
  })

  it('is sent once, though another server has claimed it from one that slept', async () => {
    const second = Promise.withResolvers<void>()
    let attempts = 0
    let steal = async () => {}
    const post = await startMailServer({
      onRcptTo: async (_address, _session, done) => {
        if (attempts++ === 0) {
          await steal()
          await second.promise
        } else second.resolve()
        done()
      },
    })
    const server = await startSending(post.url)
    steal = async () => {
      await server.db.query(`update mails set due_at = now(), claims = claims + 1 where state = 'pending'`)
    }
    const { inState } = await newKey(server)
    assert.deepEqual(await inState('sent'), { state: 'sent', error: null })
    await eventually('end of both attempts', () => (post.connections >= 2 ? true : undefined))
    assert.deepEqual([attempts, post.mails.length], [2, 1])
  })

  it('that is refused permanently fails at once, with the reason', async () => {
    const post = await startMailServer({
      onRcptTo: (_address, _session, done) => done(refusal(550, 'nobody\r\nhere')),
    })
    const { row, inState } = await newKey(await startSending(post.url))
    await inState('failed')
    assert.match((await row())?.error ?? '', /550 nobody/)
    assert.equal(post.connections, 1)
  })

  it('that is refused temporarily is tried again', async () => {
    let times = 0
    const post = await startMailServer({
      onRcptTo: (_address, _session, done) => (times++ === 0 ? done(refusal(450, 'greylisted')) : done()),
    })
    const { row, inState, owner } = await newKey(await startSending(post.url))
    await eventually('refusal', async () => (await row())?.error ?? undefined)
    assert.match((await row())?.error ?? '', /450 greylisted/)
    await post.mailTo(owner)
    assert.deepEqual(await inState('sent'), { state: 'sent', error: null })
  })

  it('reaches a server that wants TLS, a name and a password', async () => {
    const post = await startMailServer({
      secure: true,
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        username === 'max' && password === 'p@ss:word/' ? done(null, { user: 'max' }) : done(new Error('wrong')),
    })
    const at = `127.0.0.1:${post.port}?tls.rejectUnauthorized=false`
    const { owner } = await newKey(await startSending(`smtps://max:p%40ss%3Aword%2F@${at}`))
    await post.mailTo(owner)
    const { key, row } = await newKey(await startSending(`smtps://max:secret@${at}`))
    const { accepted, answer } = await key.call(testEmailConfig, {})
    assert.equal(accepted, false)
    assert.match(answer, /^The mail server could not be used; the reason is in the log/)
    await eventually('attempt in vain', async () => (await row())?.error ?? undefined)
    assert.doesNotMatch((await row())?.error ?? '', /secret/)
  })

  it('is not sent to a server with an untrusted certificate', async () => {
    const post = await startMailServer({ secure: true })
    const { row } = await newKey(await startSending(`smtps://127.0.0.1:${post.port}`))
    await eventually('attempt in vain', async () => (await row())?.error ?? undefined)
    assert.match((await row())?.error ?? '', /certificate/)
    assert.equal(post.mails.length, 0)
  })
})

/** Twice as many mails as connections, which are not given up in the time of a test: the others wait. */
const UNSENT = 2 * CONNECTIONS_MAX
const HOUR_MS = 60 * 60_000
const PATIENT = `connectionTimeout=${HOUR_MS}&greetingTimeout=${HOUR_MS}&socketTimeout=${HOUR_MS}`

describe.concurrent('a mail server that never answers', () => {
  it('holds up neither calls nor the mails of others', async () => {
    const held = new Set<Socket>()
    const silent = net.createServer((socket) => void held.add(socket.on('error', () => {})))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    cleanUp(() => {
      for (const socket of held) socket.destroy()
      silent.close()
    })
    const provider = await startSendGrid()
    const server = await startSending(`smtp://127.0.0.1:${(silent.address() as AddressInfo).port}?${PATIENT}`, {
      SENDGRID_URL: provider.url,
    })
    await Promise.all(Array.from({ length: UNSENT }, () => newKey(server)))
    await eventually('connections that are held', () => (held.size >= CONNECTIONS_MAX ? true : undefined))
    const sendgrid = { type: 'sendgrid', apiKey: 'SG.key', fromEmail: 'mail@acme.example' }
    const { key, inState } = await newKey(server, sendgrid)
    for (let times = 0; times < 20; times++)
      await key.call(addPermissions, {
        user: { userId: `user ${times}` },
        permissions: { resources: [{ type: 'organization', id: 'acme' }] },
      })
    await inState('sent')
    assert.equal(held.size, CONNECTIONS_MAX, 'it has not waited until one of the others was given up')
  })
})
