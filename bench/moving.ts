/**
 * Measures export and import of a million grants by a process with little memory, and checks that an export of the imported
 * data is the same file.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Client, createClient } from '#testing/client.ts'
import { toFile } from '../cli/moving/export/export-file.ts'
import { postgresCpuSeconds } from './support/cpu.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { type BenchServer, startProcess } from './support/server.ts'

const HEAP_MB = 192
const DOCUMENTS = 100
const USERS = 20_000

interface Moved {
  seconds: number
  failed: number
  memoryMb: number
  /** CPU time of the exporting or importing process, the server, and PostgreSQL. */
  cpuSeconds: readonly [number, number, number]
}

const run = promisify(execFile)

type Move = (what: 'import' | 'export', file: string, key: Client) => Promise<Moved>

const mover =
  (server: BenchServer, databaseUrl: string): Move =>
  async (what, file, key) => {
    const script = path.join(import.meta.dirname, 'support/moving-process.ts')
    const { 'x-service-api-key': apiKey = '', 'x-service-auth-token': authToken = '' } = key.headers
    const args = [`--max-old-space-size=${HEAP_MB}`, script, what, file, server.url, apiKey, authToken]
    const before = [server.cpuSeconds(), await postgresCpuSeconds(databaseUrl)] as const
    const { stdout } = await run(process.execPath, args)
    const moved: Omit<Moved, 'cpuSeconds'> & { cpuSeconds: number } = JSON.parse(stdout)
    if (moved.failed > 0) throw new Error(`${moved.failed} records of ${file} were refused`)
    const ofServer = server.cpuSeconds() - before[0]
    const ofPostgres = (await postgresCpuSeconds(databaseUrl)) - before[1]
    return { ...moved, cpuSeconds: [moved.cpuSeconds, ofServer, ofPostgres] }
  }

async function writeExport(file: string, records: Iterable<object>): Promise<number> {
  const { write, end } = toFile(file)
  const line = (record: object) => `${JSON.stringify(record)}\n`
  await write(line({ record: 'export', format: 1, of: 'apiKey' }))
  let count = 0
  let text = ''
  for (const record of records) {
    text += line(record)
    if (++count % 1_000 > 0) continue
    await write(text)
    text = ''
  }
  await write(text + line({ record: 'end', records: count }))
  await end()
  return count
}

function* structure(organizations: number): Generator<object> {
  for (let user = 0; user < USERS; user++)
    yield {
      record: 'user',
      userId: `user-${user}`,
      profile: { name: `User ${user}`, email: `user-${user}@example.com` },
    }
  for (let at = 0; at < organizations; at++) {
    const organizationId = `organization-${at}`
    yield { record: 'organization', organizationId, organizationName: `Organization ${at}` }
    for (const folderId of ['plans', 'archive']) yield { record: 'folder', organizationId, folderId }
    for (let document = 0; document < DOCUMENTS; document++)
      yield {
        record: 'document',
        organizationId,
        documentId: `document-${document}`,
        ...(document % 3 === 0 ? {} : { folderId: document % 3 === 1 ? 'plans' : 'archive' }),
      }
  }
}

/** Yields ten grants for each user of an organization: membership, and documents. */
function* grants(organizations: number, each: number): Generator<object> {
  for (let at = 0; at < organizations; at++) {
    const organizationId = `organization-${at}`
    const perUser = 10
    for (let grant = 0; grant < each; grant++) {
      const user = Math.floor(grant / perUser)
      const userId = `user-${(at * 61 + user) % USERS}`
      const nth = grant % perUser
      yield nth === 0
        ? { record: 'grant', userId, type: 'organization', id: organizationId, accessRole: 'editor' }
        : {
            record: 'grant',
            userId,
            type: 'document',
            id: `document-${(user * 7 + nth * 11) % DOCUMENTS}`,
            organizationId,
            accessRole: 'viewer',
            ...(nth === 1 ? { expiresAt: 4_000_000_000 } : {}),
          }
    }
  }
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

const megabytes = (file: string): string => `${(statSync(file).size / 1e6).toFixed(0)} MB`

export async function benchMoving(settings: Record<string, string>, count: number): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-bench-moving-'))
  const file = (name: string) => path.join(folder, name)
  const organizations = Math.max(1, Math.round(count / 1_000))
  const server = await startProcess('server/main.ts', settings)
  const move = mover(server, settings.DATABASE_URL ?? '')
  const { newKey } = createClient(server.url)
  const [first, second, third] = [await newKey(), await newKey(), await newKey()]
  say('\n## Moving in and out: postgres')
  say(
    `\n${organizations} organizations of 2 folders, ${DOCUMENTS} documents and 1,000 grants, ${USERS.toLocaleString('en')} users. The process that moves them has a heap of ${HEAP_MB} MB.`,
  )
  sayHead(
    'what',
    'records',
    'file',
    'seconds',
    'records/s',
    'CPU µs a record: the process',
    'the server',
    'PostgreSQL',
    'memory of the process (peak RSS)',
  )
  const row = (what: string, records: number, name: string, { seconds, memoryMb, cpuSeconds }: Moved) =>
    sayRow(
      what,
      records.toLocaleString('en'),
      megabytes(file(name)),
      seconds.toFixed(1),
      Math.round(records / seconds).toLocaleString('en'),
      ...cpuSeconds.map((used) => ((used * 1e6) / records).toFixed(1)),
      `${memoryMb} MB`,
    )

  const ofStructure = await writeExport(file('structure'), structure(organizations))
  row(
    'import: users, organizations, folders, documents',
    ofStructure,
    'structure',
    await move('import', file('structure'), first),
  )
  const ofGrants = await writeExport(file('grants'), grants(organizations, 1_000))
  row('import: grants', ofGrants, 'grants', await move('import', file('grants'), first))
  row('the same again: nothing changes', ofGrants, 'grants', await move('import', file('grants'), first))
  const floor = await startProcess('bench/support/floor.ts', {})
  const toFloor = mover(floor, settings.DATABASE_URL ?? '')
  row(
    'the same to bare node:http, which keeps nothing',
    ofGrants,
    'grants',
    await toFloor('import', file('grants'), first),
  )
  await floor.stop()
  const all = ofStructure + ofGrants + 2
  row('export: all of it', all, 'grants', await move('export', file('out'), first))
  row('import: all of it, into an empty key', all, 'out', await move('import', file('out'), second))
  await move('export', file('out-again'), second)
  const same = (await digest(file('out'))) === (await digest(file('out-again')))
  const ofOne = await writeExport(file('one'), grants(1, 100_000))
  row('import: grants of one organization', ofOne, 'one', await move('import', file('one'), third))
  say(
    `\nExported again, it is the same file: ${same ? 'yes' : 'NO'}. Memory of the server: ${server.rssMb()} MB, at most ${server.peakMb()} MB (RSS).`,
  )
  await server.stop()
  rmSync(folder, { recursive: true })
}
