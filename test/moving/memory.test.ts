/** Export and import of a large file need no more memory than of a small one: the process has less memory than the size of the file. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, it } from 'vitest'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { toFile } from '../../cli/moving/export/export-file.ts'

const HEAP_MB = 64
/** The records are few and large, because bytes fill the memory. */
const DOCUMENTS = 1_900
const METADATA_CHARACTERS = 20_000
/** Comments have as many bytes again. */
const THREADS = 19
const COMMENTS_PER_THREAD = 100

const server = await sharedServer()
const folder = temporaryFolder()
const run = promisify(execFile)

async function writeLarge(file: string): Promise<void> {
  const { write, end } = toFile(file)
  const line = (record: object) => `${JSON.stringify(record)}\n`
  const settings = { record: 'settings', defaultDocumentAccessType: 'public', defaultAccessRole: 'editor' }
  const roles = { accessRoles: ['viewer', 'editor'] }
  const more = {
    requireKnownResources: false,
    userTokenLifetimeSeconds: 172_800,
    expiringSoonSeconds: 0,
    enablePrivateComments: false,
    userSharing: 'none',
  }
  await write(line({ record: 'export', format: 1, of: 'apiKey' }))
  await write(line({ ...settings, ...roles, ...more }))
  await write(line({ record: 'organization', organizationId: 'acme' }))
  const metadata = { text: 'x'.repeat(METADATA_CHARACTERS) }
  for (let at = 0; at < DOCUMENTS; at++) {
    const documentId = `document-${String(at).padStart(6, '0')}`
    await write(line({ record: 'document', organizationId: 'acme', documentId, metadata }))
  }
  for (let at = 0; at < THREADS; at++)
    for (const record of discussion(`thread-${String(at).padStart(3, '0')}`)) await write(line(record))
  await write(line({ record: 'settings', requireKnownResources: false }))
  await write(line({ record: 'end', records: DOCUMENTS + THREADS * (COMMENTS_PER_THREAD + 1) + 3 }))
  await end()
}

/** A thread with its comments, and its author who follows it, with fields in the order of an export. */
function discussion(annotationId: string): object[] {
  const at = { organizationId: 'acme', documentId: 'document-000000', annotationId }
  const times = { createdAt: 1_700_000_000_000, lastUpdated: 1_700_000_000_000 }
  const from = { userId: 'ada' }
  const comments = Array.from({ length: COMMENTS_PER_THREAD }, (_, nth) => ({
    ...{ commentId: nth + 1, position: nth + 1, ...times, from },
    commentText: 'x'.repeat(METADATA_CHARACTERS),
  }))
  const [comment, ...more] = comments
  const status = { id: 'OPEN', name: 'Open', type: 'default' }
  const content = { from, type: 'comment', status, visibility: { type: 'public' } }
  return [
    { record: 'thread', ...at, ...times, ...content, commentsWritten: COMMENTS_PER_THREAD, comment },
    ...more.map((one) => ({ record: 'comment', ...at, ...one })),
    { record: 'threadUser', ...at, ...from, subscription: 'subscribed', contact: from },
  ]
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

describe('a large file', () => {
  it(`is imported and exported by a process of ${HEAP_MB} MB`, async () => {
    const [from, to] = [path.join(folder, 'large.ndjson'), path.join(folder, 'again.ndjson')]
    await writeLarge(from)
    assert.ok(statSync(from).size > 1.1 * HEAP_MB * 1024 * 1024)
    const { headers } = await server.newKey()
    const script = path.join(import.meta.dirname, 'moving-process.ts')
    const move = (what: string, file: string) =>
      run(process.execPath, [
        `--max-old-space-size=${HEAP_MB}`,
        script,
        what,
        file,
        server.url,
        JSON.stringify(headers),
      ])
    await move('import', from)
    await move('export', to)
    assert.equal(await digest(to), await digest(from))
  })
})
