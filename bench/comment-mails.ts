/**
 * `npm run bench -- --only comment-mails`: measures how fast a comment reaches the mailboxes of `--followers` users, and how long calls of
 * another tenant take meanwhile, on PostgreSQL.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addComments } from '#contract/comments/comments.ts'
import { addThreads } from '#contract/comments/threads.ts'
import { updateEmailConfig } from '#contract/keys/service-configs.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { CONNECTIONS_MAX } from '#features/mail/carriers/carriers.ts'
import { type Client, createClient } from '#testing/client.ts'
import { FOLLOW_THREADS } from '#testing/threads.ts'
import { postgresCpuSeconds } from './support/cpu.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'

const organizationId = 'acme'
const documentId = 'document'
const annotationId = 'thread'
/** The time for which calls of the other tenant are measured while nothing is mailed. */
const QUIET_MS = 5_000

/** Starts a mail server that accepts every mail and forgets it. */
async function startMailServer() {
  const received = { count: 0, connections: 0 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onConnect(_session, done) {
      received.connections++
      done()
    },
    onData(stream, _session, done) {
      stream.resume().on('end', () => {
        received.count++
        done()
      })
    },
  })
  server.on('error', () => {}) // the other end closed the connection
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { url: `smtp://127.0.0.1:${port}`, received, stop: () => new Promise<void>((done) => server.close(done)) }
}

/** The texts of a mail about a comment have about as many bytes. */
const HTML = '<p>What do you think of this sentence?</p>\n'.repeat(90)
const TEXT = 'What do you think of this sentence?\n'.repeat(20)

/** Sends as many mails with the library alone, over as many connections as a server keeps, and returns the seconds. */
async function floorSeconds(url: string, count: number): Promise<number> {
  const transport = createTransport({ url, pool: true, maxConnections: CONNECTIONS_MAX, maxMessages: 100 } as object)
  const began = performance.now()
  const mail = (nth: number) => ({
    from: 'a@busy.example',
    to: `b${nth}@busy.example`,
    subject: 'A comment',
    text: TEXT,
    html: HTML,
  })
  await Promise.all(Array.from({ length: count }, (_, nth) => transport.sendMail(mail(nth))))
  transport.close()
  return (performance.now() - began) / 1000
}

/** Calls until `isOver`, one call after the other. Returns the times in milliseconds. */
async function timedUntil(url: string, key: Client, isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  const resource = { type: 'document', id: documentId, organizationId }
  while (!isOver()) {
    const began = performance.now()
    const response = await fetch(url + checkPermissions.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key.headers },
      body: JSON.stringify({ data: { checks: [{ userId: 'ada', resource }] } }),
    })
    await response.text()
    times.push(performance.now() - began)
    if (!response.ok) throw new Error(`${response.status}`)
    await sleep(20)
  }
  return times
}

async function newTenant(url: string): Promise<Client> {
  const key = await createClient(url).newKey()
  const documents = [{ documentId, accessType: 'public' as const }]
  await key.call(addDocuments, { organizationId, createOrganization: true, documents })
  return key
}

export async function benchCommentMails(
  databaseUrl: string,
  settings: Record<string, string>,
  followers: number,
): Promise<void> {
  const post = await startMailServer()
  const mail = { SMTP_URL: post.url, MAIL_FROM: 'mail@commonhold.example' }
  const server = await startProcess('server/main.ts', { ...settings, ...mail })
  const [busy, quiet] = [await newTenant(server.url), await newTenant(server.url)]
  await busy.call(updateEmailConfig, { useEmailService: true, emailServiceConfig: { type: 'default' } })
  const comment = { from: { userId: 'ada' }, commentText: 'What do you think of this sentence?' }
  const where = { organizationId, documentId, annotationId }
  await busy.call(addThreads, {
    organizationId,
    documentId,
    commentAnnotations: [{ annotationId, commentData: [comment] }],
  })
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(FOLLOW_THREADS, [busy.headers['x-service-api-key'], followers])
  await client.query('vacuum (analyze) users, thread_users')

  const end = performance.now() + QUIET_MS
  const before = await timedUntil(server.url, quiet, () => performance.now() > end)
  const [nodeBefore, postgresBefore] = [server.cpuSeconds(), await postgresCpuSeconds(databaseUrl)]
  const began = performance.now()
  await busy.call(addComments, { ...where, commentData: [{ ...comment, triggerNotification: true }] })
  let collectedMs = 0
  const watch = (async () => {
    for (let collected = 0; collected < followers; await sleep(100)) {
      const { rows } = await client.query('select count(*)::int as count from mails')
      collected = rows[0].count
      collectedMs = performance.now() - began
    }
  })()
  const during = await timedUntil(server.url, quiet, () => post.received.count >= followers)
  const seconds = (performance.now() - began) / 1000
  await watch
  const perMail = (cpu: number) => ((cpu * 1000) / followers).toFixed(2)
  const [nodeMs, postgresMs] = [
    perMail(server.cpuSeconds() - nodeBefore),
    perMail((await postgresCpuSeconds(databaseUrl)) - postgresBefore),
  ]
  const { connections } = post.received
  const floor = await floorSeconds(post.url, followers)
  say(`\n## A comment that ${followers.toLocaleString('en')} followers are mailed`)
  say(
    `\nAll were collected after ${(collectedMs / 1000).toFixed(1)} s; the last mail arrived after ${seconds.toFixed(1)} s, through ${connections} connections in all, at most twenty at a time: ${Math.round(followers / seconds)} mails a second. A mail took ${nodeMs} ms of CPU time of the server and ${postgresMs} ms of PostgreSQL.`,
  )
  say(
    `\nThe library alone sent as many mails of this size to the same receiver in ${floor.toFixed(1)} s: ${Math.round(followers / floor)} a second, ${(seconds / floor).toFixed(1)} times as fast.`,
  )
  sayHead('sequential checks of another tenant', 'p50 ms', 'p99 ms')
  const row = (what: string, times: number[]) =>
    sayRow(what, percentile(times, 0.5).toFixed(2), percentile(times, 0.99).toFixed(2))
  row('before', before)
  row('meanwhile', during)
  await client.end()
  await server.stop()
  await post.stop()
}
