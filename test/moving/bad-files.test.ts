/** Invalid files: their faults are reported, and their valid records are imported. */
import assert from 'node:assert/strict'
import { appendFileSync, createWriteStream, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { beforeEach, describe, it } from 'vitest'
import { MovingFailure } from '#moving/failure.ts'
import { exportEntries } from '#moving/files/entries.ts'
import type { Client } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { stateFileOf } from '../../cli/moving/import/import-file.ts'
import { exportTo, faultsIn, importFrom, importWhole, writeExport } from './files.ts'
import { fillRandomly, SMALLEST } from './worlds.ts'

const server = await sharedServer()
const folder = temporaryFolder()
let files = 0
let file: string
let to: Client
beforeEach(async () => {
  file = path.join(folder, `${files++}.ndjson`)
  to = apiKeyClient(server.url, await server.newKey())
})

const assertReported = async (message: RegExp, next: RegExp, options = {}) => {
  await assert.rejects(importFrom(file, to, options), (error) => {
    assert.ok(error instanceof MovingFailure, String(error))
    assert.match(error.message, message)
    assert.match(error.next, next)
    return true
  })
  assert.equal(existsSync(stateFileOf(file)), false)
}
const organizations = async () => (await to.organizations.get()).map(({ id }) => id)

describe('a file that is not an export', () => {
  it('is refused because of its first line', async () => {
    writeFileSync(file, 'userId,name\nada,Ada\n')
    await assertReported(/not an export.*the first line of this file is "userId,name"/, /--csv/)
  })

  it('is reported if it is empty, missing or a folder', async () => {
    writeFileSync(file, '')
    assert.match((await importFrom(file, to)).cutOff ?? '', /without its last line/)
    file = path.join(folder, 'nowhere.ndjson')
    await assertReported(/does not exist/, /name/)
  })

  it('is reported if a later version wrote it', async () => {
    writeFileSync(file, '{"record":"export","format":2,"of":"apiKey"}\n')
    await assertReported(/format 2; this version reads format 1/, /version/)
  })

  it('is reported if it is of a workspace instead of an API key, or the reverse', async () => {
    writeFileSync(file, '{"record":"export","format":1,"of":"workspace"}\n')
    await assertReported(/export of a workspace/, /--workspace/)
    writeExport(file, [])
    const entriesOf = (input: AsyncIterable<Uint8Array>, after: number) => exportEntries(input, 'workspace', after)
    await assertReported(/export of an API key/, /without/, { entriesOf })
  })
})

describe('a truncated file', () => {
  it('is imported up to its end, which is reported, wherever it is', async () => {
    const from = apiKeyClient(server.url, await server.newKey())
    await fillRandomly(from, 21, SMALLEST)
    const whole = await exportTo(file, from)
    for (const share of [0.1, 0.37, 0.62, 0.9, 0.999]) {
      writeFileSync(file, Buffer.from(whole).subarray(0, Math.floor(Buffer.byteLength(whole) * share)))
      const { failed, cutOff } = await importFrom(file, to)
      assert.equal(failed, 0)
      assert.match(cutOff ?? '', /^The file ends (in the middle of line \d+|without its last line)/)
    }
    writeFileSync(file, whole)
    await importWhole(file, to)
    assert.equal(await exportTo(file, to), whole)
  })

  it('is reported too if it ends after a line', async () => {
    writeExport(file, [{ record: 'organization', organizationId: 'a' }])
    const text = readFileSync(file, 'utf8')
    truncateSync(file, text.indexOf('{"record":"end"'))
    assert.match((await importFrom(file, to)).cutOff ?? '', /without its last line/)
    assert.deepEqual(await organizations(), ['a'])
  })

  it('is distinguished from a file with missing lines', async () => {
    writeExport(file, [
      { record: 'organization', organizationId: 'a' },
      { record: 'organization', organizationId: 'b' },
    ])
    writeFileSync(file, readFileSync(file, 'utf8').replace(/.*"b".*\n/, ''))
    assert.match((await importFrom(file, to)).cutOff ?? '', /counts 2 records, but the file has 1/)
  })
})

describe('joined files', () => {
  it('are read up to where the second one begins, which is reported', async () => {
    const [header, end] = [
      { record: 'export', format: 1, of: 'apiKey' },
      { record: 'end', records: 1 },
    ]
    const other = { record: 'apiKey', apiKeyName: 'Other', type: 'testing' }
    const one = (organizationId: string) => ({ record: 'organization', organizationId })
    writeExport(file, [one('a'), end, header, other, one('b')])
    for (const dryRun of [true, false]) {
      const { errorsFile, cutOff } = await importFrom(file, to, { dryRun })
      assert.deepEqual(
        faultsIn(errorsFile).map(({ line, reason }) => [line, reason]),
        [[4, 'misplaced_record']],
      )
      assert.match(cutOff ?? '', /^Nothing is read from line 4 on: a second export begins here/)
    }
    assert.deepEqual(await organizations(), ['a'])
    for (const [last, why] of [
      [other, 'the records of another API key begin here'],
      [end, 'the export has ended on the line before'],
    ] as const) {
      writeExport(file, [one('c'), last, one('d')])
      assert.match((await importFrom(file, to)).cutOff ?? '', new RegExp(` on: ${why}`))
      assert.deepEqual(await organizations(), ['a', 'c'])
    }
  })
})

describe('empty lines', () => {
  it('are skipped, with any line break', async () => {
    const lines = ['{"record":"export","format":1,"of":"apiKey"}', '', '{"record":"organization","organizationId":"a"}']
    for (const lineBreak of ['\n', '\r\n']) {
      writeFileSync(file, [...lines, ' ', '', '{"record":"end","records":1}', '', ''].join(lineBreak))
      const { records, failed, cutOff } = await importFrom(file, to)
      assert.deepEqual([records, failed, cutOff], [1, 0, undefined])
    }
  })
})

describe('lines that cannot be imported', () => {
  it('are reported with numbers and reasons, and the others are imported', async () => {
    const organizationId = 'acme'
    writeExport(file, [
      { record: 'organization', organizationId },
      { record: 'organisation', organizationId: 'x' },
      { record: 'document', organizationId, documentId: 'd', colour: 'red' },
      { record: 'document', organizationId, documentId: 'd', metadata: { accessRole: 'editor' } },
      { record: 'document', organizationId, documentId: 'in', folderId: 'nope' },
      { record: 'document', organizationId: 'nowhere', documentId: 'd' },
      { record: 'document', organizationId, documentId: 'd', metadata: { documentName: 'x' } },
      { record: 'document', organizationId, documentId: 'good' },
      { record: 'folder', organizationId, folderId: 'f', parentFolderId: 'nope' },
      { record: 'grant', userId: 'ada', type: 'document', id: 'd' },
      { record: 'grant', userId: 'ada', type: 'document', id: 'd', organizationId, expiresAt: 1_700_000_000_000 },
      { record: 'grant', userId: 'ada', type: 'document', id: 'good', organizationId },
      { record: 'userGroup', organizationId, groupId: 'x' },
      { record: 'userGroupUser', organizationId, groupId: 'x', userId: 'ada' },
      { record: 'domain', domain: 'not a domain' },
    ])
    const { failed, records, errorsFile } = await importFrom(file, to)
    const faults = faultsIn(errorsFile)
    const said = Object.fromEntries(faults.map(({ line, reason, message }) => [line, `${reason}: ${message}`]))
    const expected: Record<number, RegExp> = {
      3: /^invalid_record: record must be one of .*not "organisation"/,
      4: /^invalid_record: colour is not a field of a record "document"/,
      5: /^invalid_record: metadata.accessRole is refused: as metadata, "editor" would have no effect/,
      6: /^folder_does_not_exist: /,
      7: /^organization_does_not_exist: /,
      8: /^invalid_record: metadata.documentName is not metadata/,
      10: /^not-found: The parent folder/,
      11: /organizationId is required/,
      12: /^invalid_record: expiresAt /,
      15: /^not-found: /,
      16: /must be a host/,
    }
    assert.deepEqual(Object.keys(said), Object.keys(expected))
    for (const [line, message] of Object.entries(expected)) assert.match(said[Number(line)] ?? '', message)
    assert.deepEqual([failed, records], [11, 4])
    assert.deepEqual(
      (await to.documents.get({ organizationId })).map(({ id }) => id),
      ['good'],
    )
    assert.equal((await to.grants.list({ organizationId })).grants.length, 1)
  })

  it('are found in a call of a thousand', async () => {
    const organizationId = 'acme'
    const tooMuch = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, index]))
    const documents = Array.from({ length: 1_000 }, (_, index) => ({
      record: 'document',
      organizationId,
      documentId: `d${String(index).padStart(4, '0')}`,
      ...(index % 250 === 7 ? { metadata: tooMuch } : {}),
    }))
    writeExport(file, [{ record: 'organization', organizationId }, ...documents])
    const { failed, errorsFile } = await importFrom(file, to)
    assert.equal(failed, 4)
    assert.deepEqual(
      faultsIn(errorsFile).map(({ line }) => line),
      [10, 260, 510, 760],
    )
    assert.equal((await to.documents.count({ organizationId })).count, 996)
  })

  it('can have 100 MB, without being held in memory', async () => {
    const stream = createWriteStream(file)
    stream.write('{"record":"export","format":1,"of":"apiKey"}\n')
    stream.write('{"record":"organization","organizationId":"before"}\n{"record":"organization","organizationId":"')
    const part = 'x'.repeat(1024 * 1024)
    for (let written = 0; written < 100; written++)
      if (!stream.write(part)) await new Promise((resolve) => stream.once('drain', resolve))
    stream.write('"}\n{"record":"organization","organizationId":"later"}\n{"record":"end","records":3}\n')
    await finished(stream.end())
    const before = process.memoryUsage().rss
    const { errorsFile, cutOff } = await importFrom(file, to)
    assert.ok(process.memoryUsage().rss - before < 80 * 1024 * 1024)
    assert.equal(cutOff, undefined)
    const [fault, ...others] = faultsIn(errorsFile)
    assert.deepEqual([fault?.line, fault?.reason, others], [3, 'line_too_long', []])
    assert.deepEqual(await organizations(), ['before', 'later'])
  })

  it('can be invalid JSON, not objects, or have a name twice', async () => {
    writeExport(file, [])
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\{"record":"end".*\n/, ''))
    appendFileSync(
      file,
      '{"record":\n[1]\nnull\n{"record":"organization","organizationId":7}\n{"record":"grant","expiresAt":1,"expiresAt":2}\n{"record":"end","records":5}\n',
    )
    const { errorsFile, cutOff } = await importFrom(file, to)
    assert.equal(cutOff, undefined)
    assert.deepEqual(
      faultsIn(errorsFile).map(({ line, reason }) => [line, reason]),
      [
        [2, 'not_json'],
        [3, 'invalid_record'],
        [4, 'invalid_record'],
        [5, 'invalid_record'],
        [6, 'not_json'],
      ],
    )
  })
})

describe('metadata that looks like protection, as an earlier version stored it', () => {
  const organizationId = 'acme'
  const records = [
    { record: 'user', userId: 'ada', profile: { name: 'Ada', role: 'viewer' } },
    { record: 'organization', organizationId },
    { record: 'document', organizationId, documentId: 'plan', metadata: { access: 'restricted', color: 'red' } },
    { record: 'document', organizationId, documentId: 'menu', metadata: { access: 'on request' } },
  ]
  const expected = [
    [
      2,
      'profile.role is refused: as metadata, "viewer" would have no effect on access; to give a role, call auth/permissions/add with accessRole',
    ],
    [4, 'metadata.access is refused: as metadata, "restricted" would have no effect on access; set accessType instead'],
  ]
  const said = (errorsFile?: string) => faultsIn(errorsFile).map(({ line, message }) => [line, message])

  it('is reported with its line, and the other lines are imported', async () => {
    writeExport(file, records)
    const { errorsFile, failed } = await importFrom(file, to)
    assert.equal(failed, 2)
    assert.deepEqual(said(errorsFile), expected)
    const documents = await to.documents.get({ organizationId })
    assert.deepEqual(
      documents.map((document) => [document.id, document.access]),
      [['menu', 'on request']],
    )
  })

  it('is reported by a dry run too', async () => {
    writeExport(file, records)
    const { errorsFile } = await importFrom(file, to, { dryRun: true })
    assert.deepEqual(said(errorsFile), expected)
  })
})

describe('a dry run', () => {
  it('finds what every server would refuse', async () => {
    const [organizationId, email] = ['acme', 'ada@example.com']
    const [organization, document] = [
      { record: 'organization', organizationId },
      { record: 'document', organizationId },
    ]
    const invitation = { record: 'invitation', organizationId, email, type: 'org_user' }
    const fields = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, index]))
    const deep = JSON.parse(`${'['.repeat(25)}${']'.repeat(25)}`)
    const refused: [object, RegExp][] = [
      [{ record: 'settings', accessRoles: ['editor'] }, /accessRoles must have "viewer" and "editor"/],
      [{ record: 'domain', domain: 'http://' }, /must be a host such as/],
      [{ record: 'domain', domain: 'a..b' }, /must be a host such as/],
      [{ record: 'domain', domain: '*.com' }, /must not allow everybody/],
      [{ record: 'user', userId: 'ada', profile: fields }, /more than 100 metadata fields/],
      [{ record: 'user', userId: 'ada', profile: { a: 'x'.repeat(70_000) } }, /more than 65536 bytes of metadata/],
      [{ ...organization, metadata: fields }, /more than 100 metadata fields/],
      [{ ...document, documentId: 'd', metadata: { a: 'ü'.repeat(33_000) } }, /more than 65536 bytes of metadata/],
      [{ ...document, documentId: 'd', metadata: { a: deep } }, /must not nest deeper than 20 levels/],
      [JSON.parse('{"record":"user","userId":"eve","profile":{"a":[{"__proto__":{}}]}}'), /"__proto__"/],
      [JSON.parse('{"record":"user","userId":"eve","profile":{"constructor":{"prototype":1}}}'), /"prototype"/],
      [{ record: 'folder', organizationId, folderId: 'root' }, /"root"/],
      [{ record: 'folder', organizationId, folderId: 'f', parentFolderId: 'f' }, /itself/],
      [{ record: 'grant', type: 'organization', id: organizationId }, /userId or groupId is required/],
      [
        { record: 'grant', userId: 'a', groupId: 'b', type: 'organization', id: organizationId },
        /together with userId/,
      ],
      [
        { record: 'grant', userId: 'ada', type: 'document', id: 'd' },
        /organizationId is required when type is "document"/,
      ],
      [{ record: 'grant', userId: 'ada', type: 'folder', id: 'root', organizationId }, /must not be "root"/],
      [{ ...invitation, type: 'doc_user' }, /documentId is required with type doc_user/],
      [{ ...invitation, folderId: 'f' }, /folderId must not be given with type org_user/],
      [{ ...invitation, email: 'ada@localhost' }, /address that can get mail/],
      [{ ...invitation, invitedBy: fields }, /more than 100 metadata fields/],
    ]
    const valid = [
      organization,
      { ...document, documentId: 'd', metadata: { constructor: 'x', prototype: 1 } },
      { record: 'grant', userId: 'ada', type: 'document', id: 'd', organizationId },
      invitation,
    ]
    writeExport(file, [...refused.map(([record]) => record), ...valid])
    for (const dryRun of [true, false]) {
      const { records, errorsFile } = await importFrom(file, to, { dryRun })
      const faults = faultsIn(errorsFile)
      assert.equal(records, valid.length)
      assert.deepEqual(
        faults.map(({ line }) => line),
        refused.map((_, index) => index + 2),
      )
      for (const [index, [, message]] of refused.entries()) assert.match(faults[index]?.message ?? '', message)
    }
    assert.deepEqual(await organizations(), ['acme'])
  })

  it('checks every line and writes nothing', async () => {
    writeExport(file, [{ record: 'organization', organizationId: 'a' }, { record: 'nonsense' }])
    const { records, failed, errorsFile } = await importFrom(file, to, { dryRun: true })
    assert.deepEqual([records, failed], [1, 1])
    assert.equal(faultsIn(errorsFile)[0]?.line, 3)
    assert.deepEqual(await organizations(), [])
    await assertReported(/no import of this file/, /without/, { resume: true })
  })
})

describe('invalid credentials', () => {
  it('end the import with the error of the server', async () => {
    writeExport(file, [{ record: 'organization', organizationId: 'a' }])
    const headers = await server.newKey()
    const wrong = apiKeyClient(server.url, headers.with({ ...headers.headers, 'x-service-auth-token': 'wrong' }))
    await assert.rejects(importFrom(file, wrong), { status: 'UNAUTHENTICATED' })
  })
})
