/**
 * `npm run bench -- --only comments`: measures adding comments, compared with adding grants, and reading threads,
 * counts and inboxes, in an organization of 1,000 threads and in one of `--threads`, on PostgreSQL. The measurements
 * that are compared take turns.
 */
import pg from 'pg'
import { addPermissions } from '#contract/access/permissions.ts'
import { addComments } from '#contract/comments/comments.ts'
import { countThreads } from '#contract/comments/seen.ts'
import { addThreads, getThreads } from '#contract/comments/threads.ts'
import { LIMITS } from '#contract/core/limits.ts'
import type { Operation } from '#contract/core/operation.ts'
import { updateNotificationConfig } from '#contract/keys/notification-config.ts'
import { getNotifications } from '#contract/notifications/notifications.ts'
import { addDocuments } from '#contract/resources/documents.ts'
import { type Client, createClient } from '#testing/client.ts'
import { body, pick } from './checks.ts'
import { type Load, takeTurns } from './support/load.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { startProcess } from './support/server.ts'
import { keyOf } from './support/world.ts'

const CONNECTIONS = [1, 16, 64]
const ORGANIZATIONS = 100
const DOCUMENTS = 100
const THREADS = 5
const USERS = 1_000
const BODIES = 5_000

const SMALL = 1_000
const THREADS_PER_DOCUMENT = 100
const PAGE = 50
const READS = 200
/** The users who follow one thread, each with an inbox. */
const FOLLOWERS = 10_000

const organizationId = (nth: number) => `organization-${nth}`
const documentId = (nth: number) => `document-${nth}`
const userId = (nth: number) => `user-${nth}`
const text = 'A comment of about the usual length, which says what somebody thinks of a sentence in the document.'

const anyDocument = () => ({
  organizationId: organizationId(pick(ORGANIZATIONS)),
  documentId: documentId(pick(DOCUMENTS)),
})
const newComment = (more: object = {}) => ({ from: { userId: userId(pick(USERS)) }, commentText: text, ...more })
const reply = (more: object = {}) => ({
  ...anyDocument(),
  annotationId: `thread-${pick(THREADS)}`,
  commentData: [newComment(more)],
})
const grant = () => {
  const { documentId: id, organizationId } = anyDocument()
  const resource = { type: 'document', id, organizationId, accessRole: 'viewer', expiresAt: '@' }
  return { user: { userId: userId(pick(USERS)) }, permissions: { resources: [resource] } }
}

/** The kinds of items to add, one in each call. */
const ADDED: readonly [what: string, operation: Operation, data: () => object][] = [
  ['a grant', addPermissions, grant],
  ['a comment', addComments, () => reply()],
  ['a comment that notifies', addComments, () => reply({ triggerNotification: true })],
  ['a thread', addThreads, () => ({ ...anyDocument(), commentAnnotations: [{ commentData: [newComment()] }] })],
]

async function fill(key: Client): Promise<void> {
  await key.call(updateNotificationConfig, { useNotificationService: true })
  for (let organization = 0; organization < ORGANIZATIONS; organization++) {
    const where = { organizationId: organizationId(organization) }
    const documents = Array.from({ length: DOCUMENTS }, (_, nth) => ({ documentId: documentId(nth) }))
    await key.call(addDocuments, { ...where, createOrganization: true, documents })
    const threads = documents.map(({ documentId }) => {
      const newThread = (_: unknown, nth: number) => ({ annotationId: `thread-${nth}`, commentData: [newComment()] })
      const commentAnnotations = Array.from({ length: THREADS }, newThread)
      return key.call(addThreads, { ...where, documentId, commentAnnotations })
    })
    await Promise.all(threads)
  }
}

async function addInTurns(url: string, key: Client, turns: number): Promise<void> {
  say('\n## Adding comments')
  say(
    `\n${ORGANIZATIONS} organizations of ${DOCUMENTS} documents of ${THREADS} threads, ${USERS} users; ${turns} turns of a second for each, medians. A grant is the floor: one durable change with its event.`,
  )
  for (const connections of CONNECTIONS) {
    const loads = ADDED.map(
      ([, operation, data]): Omit<Load, 'seconds'> => ({
        url: url + operation.path,
        headers: { 'content-type': 'application/json', ...key.headers },
        bodies: Array.from({ length: BODIES }, () => body(data())),
        connections,
      }),
    )
    const measured = await takeTurns(loads, turns)
    const floor = measured[0]?.rate ?? 0
    sayHead(`${connections} connections`, 'a second', 'p50 ms', 'of the rate of grants')
    for (const [nth, [what]] of ADDED.entries()) {
      const { rate = 0, p50Ms = 0 } = measured[nth] ?? {}
      sayRow(what, Math.round(rate), p50Ms.toFixed(2), (rate / floor).toFixed(2))
    }
  }
}

/** $1 is the API key, $2 the organization, $3 the number of its threads; each has two comments, by its two users. */
const FILL_THREADS = [
  `insert into organizations (organization_key, api_key_id, organization_id, added_at)
   values (${keyOf('$1::text', '$2::text')}, $1, $2, clock_timestamp())`,
  `insert into resources (organization_key, resource_key, kind, id, added_at, path, boundary_depth, boundary_key)
   select organization_key, organization_key, 'organization', organization_id, clock_timestamp(), array[organization_key], 1, organization_key
     from organizations where api_key_id = $1 and organization_id = $2`,
  `insert into resources (organization_key, resource_key, kind, id, added_at)
   select o.organization_key, ${keyOf('o.organization_key::text', 'd::text')}, 'document', 'document-' || d, clock_timestamp()
     from organizations o, generate_series(0, $3::int / ${THREADS_PER_DOCUMENT} - 1) d where o.api_key_id = $1 and o.organization_id = $2`,
  `insert into threads (organization_key, resource_key, annotation_id, created_at, last_updated, content, comments_written, last_position, comment_count, bytes)
   select o.organization_key, r.resource_key, 'thread-' || t, '2026-01-01'::timestamptz + make_interval(secs => t), '2026-01-01'::timestamptz + make_interval(secs => t),
          jsonb_build_object('type', 'comment', 'from', jsonb_build_object('userId', 'user-' || t % 1000), 'visibility', jsonb_build_object('type', 'public'),
                             'status', jsonb_build_object('id', 'OPEN', 'name', 'Open', 'type', 'default', 'color', '#625DF5', 'lightColor', '#E7E8FA')),
          2, 2, 2, 400
     from generate_series(0, $3::int - 1) t
     join resources r on r.kind = 'document' and r.id = 'document-' || t % ($3::int / ${THREADS_PER_DOCUMENT})
     join organizations o on o.organization_key = r.organization_key and o.api_key_id = $1 and o.organization_id = $2`,
  `insert into thread_comments (organization_key, resource_key, annotation_id, comment_id, position, created_at, last_updated, content, bytes)
   select t.organization_key, t.resource_key, t.annotation_id, 100000 + c, c, t.created_at, t.created_at,
          jsonb_build_object('from', jsonb_build_object('userId', case c when 1 then t.author_id else t.author_id || 'b' end), 'commentText', '${text}'), 200
     from organizations o join threads t on t.organization_key = o.organization_key, generate_series(1, 2) c
    where o.api_key_id = $1 and o.organization_id = $2`,
  `insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription, contact, seen_through)
   select c.organization_key, c.resource_key, c.annotation_id, c.author_id, 'subscribed', c.content -> 'from', c.position
     from organizations o join thread_comments c on c.organization_key = o.organization_key
    where o.api_key_id = $1 and o.organization_id = $2`,
]

/** Returns the times of calls in milliseconds that take turns, one list for each. */
async function timedInTurns(url: string, key: Client, calls: readonly (readonly [Operation, () => object])[]) {
  const times: number[][] = calls.map(() => [])
  for (let turn = -READS / 10; turn < READS; turn++)
    for (const [nth, [operation, data]] of calls.entries()) {
      const began = performance.now()
      const response = await fetch(url + operation.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...key.headers },
        body: JSON.stringify({ data: data() }),
      })
      const answer = await response.text()
      if (turn >= 0) times[nth]?.push(performance.now() - began)
      if (!response.ok) throw new Error(answer)
    }
  return times
}

async function read(url: string, client: pg.Client, key: Client, threads: number, turns: number): Promise<void> {
  const sizes = { small: SMALL, large: threads }
  const began = performance.now()
  for (const [id, count] of Object.entries(sizes))
    for (const statement of FILL_THREADS)
      await client.query(
        statement,
        [key.headers['x-service-api-key'], id, count].slice(0, statement.includes('$3') ? 3 : 2),
      )
  await client.query('vacuum (analyze) resources, threads, thread_comments, thread_users')
  const ms = (value: number) => value.toFixed(2)
  say(`\n## Reading: among ${threads.toLocaleString('en')} threads and among ${SMALL.toLocaleString('en')}`)
  say(
    `\nEach has two comments, ${THREADS_PER_DOCUMENT} on a document (filled in ${Math.round((performance.now() - began) / 1000)} s). ${turns} turns of a second on one connection for each, medians.`,
  )
  const anyOf = (id: keyof typeof sizes) => documentId(pick(sizes[id] / THREADS_PER_DOCUMENT))
  /** As many documents as a call may name, from those that both organizations have. */
  const documentIds = Array.from({ length: LIMITS.filteredIdsMax }, (_, nth) =>
    documentId(nth % (SMALL / THREADS_PER_DOCUMENT)),
  )
  const reads: readonly [what: string, Operation, (id: keyof typeof sizes) => object][] = [
    [`${PAGE} threads of a document`, getThreads, (id) => ({ documentId: anyOf(id), pageSize: PAGE })],
    [`${PAGE} threads of the organization`, getThreads, () => ({ pageSize: PAGE })],
    [
      'counts of 10 documents',
      countThreads,
      () => ({ documentIds: documentIds.slice(0, 10), userId: userId(pick(USERS)) }),
    ],
  ]
  const loadOf = (operation: Operation, data: () => object): Omit<Load, 'seconds'> => ({
    url: url + operation.path,
    headers: { 'content-type': 'application/json', ...key.headers },
    bodies: Array.from({ length: READS }, () => body(data())),
    connections: 1,
  })
  const loads = reads.flatMap(([, operation, data]) =>
    (['small', 'large'] as const).map((id) => loadOf(operation, () => ({ organizationId: id, ...data(id) }))),
  )
  const thirty = () => Array.from({ length: LIMITS.filteredIdsMax }, () => anyOf('large'))
  const countThirty = () => ({ organizationId: 'large', documentIds: thirty(), userId: userId(pick(USERS)) })
  const measured = await takeTurns([...loads, loadOf(countThreads, countThirty)], turns)
  sayHead('read', `p50 ms among ${SMALL}`, `p50 ms among ${threads}`, 'ratio')
  for (const [nth, [what]] of reads.entries()) {
    const [few = 0, many = 0] = measured.slice(2 * nth).map(({ p50Ms }) => p50Ms)
    sayRow(what, ms(few), ms(many), (many / few).toFixed(2))
  }
  say(
    `\nCounts of ${LIMITS.filteredIdsMax} documents, ${LIMITS.filteredIdsMax * THREADS_PER_DOCUMENT} threads, for a user: p50 ${ms(measured.at(-1)?.p50Ms ?? 0)} ms.`,
  )
}

/** $1 is the API key, $2 the organization; makes $3 users members who follow its only thread. */
const FILL_FOLLOWERS = [
  `insert into grants (organization_key, resource_key, principal, kind, standing_role)
   select organization_key, organization_key, 'user-' || u, 'organization', 'viewer'
     from organizations, generate_series(0, $3::int - 1) u where api_key_id = $1 and organization_id = $2`,
  `insert into thread_users (organization_key, resource_key, annotation_id, user_id, subscription)
   select t.organization_key, t.resource_key, t.annotation_id, 'user-' || u, 'subscribed'
     from organizations o join threads t on t.organization_key = o.organization_key, generate_series(0, $3::int - 1) u
    where o.api_key_id = $1 and o.organization_id = $2
   on conflict do nothing`,
]

async function notify(url: string, client: pg.Client, key: Client): Promise<void> {
  const where = { documentId: documentId(0), annotationId: 'thread' }
  const sizes = { few: 10, many: FOLLOWERS }
  for (const [id, followers] of Object.entries(sizes)) {
    await key.call(addDocuments, { organizationId: id, createOrganization: true, documents: [where] as never })
    const thread = { annotationId: where.annotationId, commentData: [newComment()] }
    await key.call(addThreads, { organizationId: id, documentId: where.documentId, commentAnnotations: [thread] })
    for (const statement of FILL_FOLLOWERS)
      await client.query(statement, [key.headers['x-service-api-key'], id, followers])
  }
  await client.query('vacuum (analyze) grants, thread_users')
  const replies = Object.keys(sizes).map((id) => {
    const data = () => ({ organizationId: id, ...where, commentData: [newComment({ triggerNotification: true })] })
    return [addComments, data] as const
  })
  const added = await timedInTurns(url, key, replies)
  const inboxes = Object.entries(sizes).map(([id, followers]) => {
    const data = () => ({ organizationId: id, userId: userId(pick(followers)), pageSize: PAGE })
    return [getNotifications, data] as const
  })
  const read = await timedInTurns(url, key, inboxes)
  say(`\n## Notifying ${FOLLOWERS.toLocaleString('en')} followers of a thread, and ${sizes.few} beside them`)
  sayHead('call', `p50 ms of ${sizes.few}`, `p50 ms of ${FOLLOWERS}`)
  for (const [what, times] of [
    ['a reply that notifies them all', added],
    [`an inbox of ${PAGE} of ${READS} notifications`, read],
  ] as const)
    sayRow(what, ...times.map((own) => percentile(own, 0.5).toFixed(2)))
}

export async function benchComments(
  databaseUrl: string,
  settings: Record<string, string>,
  { threads, seconds }: { threads: number; seconds: number },
): Promise<void> {
  const server = await startProcess('server/main.ts', settings)
  const key = await createClient(server.url).newKey()
  await fill(key)
  await addInTurns(server.url, key, seconds)
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await notify(server.url, client, key)
  await read(server.url, client, key, threads, seconds)
  await client.end()
  await server.stop()
}
