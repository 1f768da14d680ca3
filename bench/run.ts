/**
 * `npm run bench`: a durable grant and permissions/get against bare `node:http`, on both engines, at 1, 16 and 64
 * connections; time to the first answer and memory beside it. One run, one load generator, the same bodies. Figures are
 * ratios to the floor of the same run, because these machines are shared. Options: `--seconds N` for each measurement
 * (default 5), `--engine embedded|postgres`, `--write` into bench/results.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { addDocuments } from '#contract/documents.ts'
import { addPermissions, getPermissions } from '#contract/permissions.ts'
import { type Client, createClient } from '../test/support/client.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { generator, load, type Measured } from './load.ts'
import { type BenchServer, startProcess, timeToFirstAnswer } from './server.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    engine: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const seconds = Number(options.seconds)
const CONNECTIONS = [1, 16, 64]
const ORGANIZATIONS = 100
const DOCUMENTS = 100
const USERS = 1_000
const BODIES = 5_000

const lines: string[] = []
const say = (line: string) => {
  lines.push(line)
  process.stdout.write(`${line}\n`)
}

const pick = (count: number): number => Math.floor(Math.random() * count)
const body = (data: unknown): string => JSON.stringify({ data }).replaceAll('"@"', '@')

/** Each grant a change: its expiry is another one every time. */
const grantBodies = () =>
  Array.from({ length: BODIES }, () =>
    body({
      user: { userId: `user-${pick(USERS)}` },
      permissions: {
        resources: [
          {
            type: 'document',
            id: `document-${pick(DOCUMENTS)}`,
            organizationId: `organization-${pick(ORGANIZATIONS)}`,
            accessRole: 'viewer',
            expiresAt: '@',
          },
        ],
      },
    }),
  )
const getBodies = () =>
  Array.from({ length: BODIES }, () =>
    body({
      organizationId: `organization-${pick(ORGANIZATIONS)}`,
      userIds: [`user-${pick(USERS)}`],
      documentIds: [`document-${pick(DOCUMENTS)}`],
    }),
  )

async function fill(key: Client): Promise<void> {
  for (let organization = 0; organization < ORGANIZATIONS; organization++)
    await key.call(addDocuments, {
      organizationId: `organization-${organization}`,
      createOrganization: true,
      documents: Array.from({ length: DOCUMENTS }, (_, document) => ({ documentId: `document-${document}` })),
    })
}

function row(name: string, connections: number, measured: Measured, floor?: Measured): void {
  const ratio = floor === undefined ? '' : (measured.rate / floor.rate).toFixed(3)
  const cells = [
    name,
    connections,
    Math.round(measured.rate),
    measured.p50Ms.toFixed(2),
    measured.p99Ms.toFixed(2),
    ratio,
    measured.errors,
  ]
  say(`| ${cells.join(' | ')} |`)
}

async function compare(engine: string, server: BenchServer, floor: BenchServer, key: Client): Promise<void> {
  say('\n| what | connections | answers/s | p50 ms | p99 ms | of the floor | errors |')
  say('|---|---|---|---|---|---|---|')
  const measure = (url: string, path: string, bodies: string[], connections: number) =>
    load({
      url: url + path,
      headers: { 'content-type': 'application/json', ...key.headers },
      bodies,
      connections,
      seconds,
    })
  await measure(server.url, addPermissions.path, grantBodies(), 16) // warm
  for (const connections of CONNECTIONS) {
    const bare = await measure(floor.url, '/', grantBodies(), connections)
    row('node:http, grant body', connections, bare)
    row(
      `${engine}: permissions.add`,
      connections,
      await measure(server.url, addPermissions.path, grantBodies(), connections),
      bare,
    )
    const bareGet = await measure(floor.url, '/', getBodies(), connections)
    row('node:http, get body', connections, bareGet)
    row(
      `${engine}: permissions.get`,
      connections,
      await measure(server.url, getPermissions.path, getBodies(), connections),
      bareGet,
    )
  }
}

async function bench(engine: 'embedded' | 'postgres', settings: Record<string, string>): Promise<void> {
  say(`\n## ${engine}`)
  const floor = await startProcess('bench/floor.ts', {})
  const empty = await timeToFirstAnswer(settings)
  const used = await timeToFirstAnswer(settings)
  say(`\nFrom \`npm start\` to the first answer: ${empty} ms on an empty store, ${used} ms on a used one.`)
  const server = await startProcess('server/main.ts', settings)
  const idle = server.rssMb()
  const key = await createClient(server.url).newKey()
  await fill(key)
  await compare(engine, server, floor, key)
  say(`\nMemory (RSS): ${idle} MB idle after start, ${server.rssMb()} MB after the run.`)
  await server.stop()
  await floor.stop()
}

const COMMON = { LOG_LEVEL: 'warn', SIGNUP: 'open' }

say(`# ${new Date().toISOString().slice(0, 10)}: grants and permissions/get`)
say(
  `\n${os.cpus().length} × ${os.cpus()[0]?.model}, Node ${process.versions.node}, ${generator}, ${seconds} s a measurement, LOG_LEVEL=warn.`,
)
say(
  `${ORGANIZATIONS} organizations of ${DOCUMENTS} documents, ${USERS} users; every grant is a change and writes its event.`,
)
if (options.engine !== 'postgres') {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-bench-data-'))
  await bench('embedded', { ...COMMON, DATA_DIR: folder })
  rmSync(folder, { recursive: true })
}
if (options.engine !== 'embedded') {
  const postgres = await startPostgres({ fsync: true })
  await bench('postgres', { ...COMMON, DATABASE_URL: postgres.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })
  await postgres.stop()
}
if (options.write)
  writeFileSync(
    path.join(import.meta.dirname, 'results', `${new Date().toISOString().slice(0, 10)}.md`),
    `${lines.join('\n')}\n`,
  )
