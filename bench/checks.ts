/**
 * Measures decisions in a large store: single checks (allowed and denied separately) and single durable grants, compared
 * with bare `node:http`; a check, compared with the round trip of `select 1`; and checks in bulk.
 */
import pg from 'pg'
import { checkPermissions } from '#contract/access/decisions.ts'
import { addPermissions } from '#contract/access/permissions.ts'
import { updateKeyConfig } from '#contract/keys/key-config.ts'
import { type Client, createClient } from '#testing/client.ts'
import { load, type Measured } from './support/load.ts'
import { percentile, say, sayHead, sayRow } from './support/report.ts'
import { type BenchServer, startProcess } from './support/server.ts'
import { documentId, fillWorld, organizationId, type Query, userId, WORLD, type WorldSize } from './support/world.ts'

const CONNECTIONS = [1, 16, 64]
const BODIES = 5_000
const BULK = 1_000

export const pick = (count: number): number => Math.floor(Math.random() * count)
/** Skews the choice to low numbers: the lower of two picks. */
const skewed = (count: number): number => Math.min(pick(count), pick(count))
export const body = (data: unknown): string => JSON.stringify({ data }).replaceAll('"@"', '@')

export interface Question {
  userId: string
  resource: { type: 'document'; id: string; organizationId: string }
}

/** Returns a check of a member of an organization and a document in it. */
export function question(size: WorldSize): Question {
  const organization = skewed(size.organizations)
  return {
    userId: userId(size, organization, pick(size.members)),
    resource: {
      type: 'document',
      id: documentId(skewed(size.documents)),
      organizationId: organizationId(organization),
    },
  }
}

const questions = (count: number): Question[] => Array.from({ length: count }, () => question(WORLD))

/** Returns `count` questions that are allowed and as many that are denied. */
async function questionsByDecision(key: Client, count: number): Promise<{ allowed: Question[]; denied: Question[] }> {
  const found = { allowed: [] as Question[], denied: [] as Question[] }
  while (found.allowed.length < count || found.denied.length < count) {
    const checks = questions(BULK)
    const result = await key.call(checkPermissions, { checks })
    for (const [index, { allowed }] of result.checks.entries()) {
      const check = checks[index]
      if (check !== undefined) found[allowed ? 'allowed' : 'denied'].push(check)
    }
  }
  return { allowed: found.allowed.slice(0, count), denied: found.denied.slice(0, count) }
}

/** Returns the body of a grant. Its expiry is unique, so each grant is a change. */
export const grantBody = (): string => {
  const { userId, resource } = question(WORLD)
  const resources = [{ ...resource, accessRole: 'viewer', expiresAt: '@' }]
  return body({ user: { userId }, permissions: { resources } })
}

interface Servers {
  server: BenchServer
  floor: BenchServer
  key: Client
  seconds: number
}

const measure = (
  { server, key, seconds }: Pick<Servers, 'server' | 'key' | 'seconds'>,
  path: string,
  bodies: string[],
  connections: number,
): Promise<Measured> =>
  load({
    url: server.url + path,
    headers: { 'content-type': 'application/json', ...key.headers },
    bodies,
    connections,
    seconds,
  })

function row(name: string, connections: number, measured: Measured, floor?: Measured): void {
  const ratio = floor === undefined ? '' : (measured.rate / floor.rate).toFixed(3)
  const { rate, p50Ms, p99Ms, errors } = measured
  sayRow(name, connections, Math.round(rate), p50Ms.toFixed(2), p99Ms.toFixed(2), ratio, errors)
}

async function benchSingles(servers: Servers): Promise<void> {
  const { allowed, denied } = await questionsByDecision(servers.key, BODIES)
  const checkBodies = (checks: Question[]) => checks.map((check) => body({ checks: [check] }))
  const grantBodies = Array.from({ length: BODIES }, grantBody)
  const ofFloor = { ...servers, server: servers.floor }
  sayHead('what', 'connections', 'answers/s', 'p50 ms', 'p99 ms', 'of the floor', 'errors')
  await measure(servers, checkPermissions.path, checkBodies(allowed), 16) // warm
  for (const connections of CONNECTIONS) {
    const floor = await measure(ofFloor, '/', checkBodies(allowed), connections)
    row('node:http, check body', connections, floor)
    const check = (checks: Question[]) => measure(servers, checkPermissions.path, checkBodies(checks), connections)
    row('permissions.check, allowed', connections, await check(allowed), floor)
    row('permissions.check, denied', connections, await check(denied), floor)
    const grantFloor = await measure(ofFloor, '/', grantBodies, connections)
    row('node:http, grant body', connections, grantFloor)
    row(
      'permissions.add',
      connections,
      await measure(servers, addPermissions.path, grantBodies, connections),
      grantFloor,
    )
  }
}

async function benchBulk(servers: Servers): Promise<void> {
  const bodies = Array.from({ length: 20 }, () => body({ checks: questions(BULK) }))
  for (const connections of [1, 4]) {
    const { rate, p50Ms, errors } = await measure(servers, checkPermissions.path, bodies, connections)
    say(
      `\nChecks in bulk, ${BULK} a call, ${connections} connections: **${Math.round(rate * BULK)} checks/s**, p50 ${p50Ms.toFixed(1)} ms a call, ${errors} errors.`,
    )
  }
}

/** Returns the p50 of a prepared `select 1` with the driver of the server, in milliseconds. */
async function roundTrip(databaseUrl: string, seconds: number): Promise<number> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const times: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const start = performance.now()
    await client.query({ name: 'minimal', text: 'select 1' })
    times.push(performance.now() - start)
  }
  await client.end()
  return percentile(times, 0.5)
}

async function benchAgainstRoundTrip(servers: Servers, databaseUrl: string): Promise<void> {
  const bodies = questions(BODIES).map((check) => body({ checks: [check] }))
  const minimum = await roundTrip(databaseUrl, servers.seconds)
  const { p50Ms } = await measure(servers, checkPermissions.path, bodies, 1)
  say(
    `\nOne connection: p50 of a check ${p50Ms.toFixed(3)} ms, of a prepared \`select 1\` on the same driver ${minimum.toFixed(3)} ms: **${(p50Ms / minimum).toFixed(1)} ×**.`,
  )
}

interface ChecksOptions {
  engine: string
  settings: Record<string, string>
  seconds: number
  /** Runs `work` with direct access to the store, while no server has it open. */
  withStore(work: (query: Query) => Promise<void>): Promise<void>
}

/** Lets a server create the store and an API key, then fills the data set while the server is stopped. */
export async function newDataSet(
  { settings, withStore }: Pick<ChecksOptions, 'settings' | 'withStore'>,
  size: WorldSize,
): Promise<Client['headers']> {
  const server = await startProcess('server/main.ts', settings)
  const key = await createClient(server.url).newKey()
  await key.call(updateKeyConfig, { defaultDocumentAccessType: 'restricted' })
  await server.stop()
  await withStore((query) => fillWorld(query, key.headers['x-service-api-key'] ?? '', size))
  return key.headers
}

export async function benchChecks(options: ChecksOptions): Promise<void> {
  const { engine, settings, seconds } = options
  const { organizations, depth, documents, users, members } = WORLD
  say(`\n## Checks: ${engine}`)
  say(
    `\n${organizations} organizations, folder depth ${depth}, ${organizations * documents} documents, ${users} users, ${organizations * members * 3} grants; every grant is a change and writes its event.`,
  )
  const headers = await newDataSet(options, WORLD)
  const server = await startProcess('server/main.ts', settings)
  const floor = await startProcess('bench/support/floor.ts', {})
  const servers = { server, floor, key: createClient(server.url, headers), seconds }
  await benchSingles(servers)
  await benchBulk(servers)
  if (settings.DATABASE_URL !== undefined) await benchAgainstRoundTrip(servers, settings.DATABASE_URL)
  await server.stop()
  await floor.stop()
}
