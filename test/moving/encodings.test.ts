/** Files that are not UTF-8 or were cut off: the import guesses nothing, and nobody gets more access than the file says. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, it } from 'vitest'
import { exportEntries } from '#moving/files/entries.ts'
import type { Client } from '#sdk/index.ts'
import { csvRows } from '#sdk/shared/csv-rows.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { type CsvKind, csvEntries } from '../../cli/moving/files/csv.ts'
import { faultsIn, importFrom } from './files.ts'

const server = await sharedServer()
const file = path.join(temporaryFolder(), 'records')
let to: Client
beforeEach(async () => {
  to = apiKeyClient(server.url, await server.newKey())
})

const importLines = async (bytes: Uint8Array | string) => {
  writeFileSync(file, bytes)
  return importFrom(file, to)
}
const importCsv = async (kind: CsvKind, bytes: Uint8Array | string) => {
  writeFileSync(file, bytes)
  return importFrom(file, to, { entriesOf: (input, after) => csvEntries(input, kind, after) })
}
const faultsOf = ({ errorsFile }: { errorsFile?: string }) =>
  faultsIn(errorsFile).map(({ line, reason, message }) => `${line} ${reason}: ${message}`)

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const record = (value: object) => `${JSON.stringify(value)}\n`
const exportOf = (...records: string[]) =>
  [
    record({ record: 'export', format: 1, of: 'apiKey' }),
    ...records,
    record({ record: 'end', records: records.length }),
  ].join('')
const organization = (organizationId: string) => record({ record: 'organization', organizationId })

describe('a file that is not UTF-8', () => {
  it('does not merge two ids into one: each line is refused with its byte', async () => {
    const result = await importLines(
      latin1(exportOf(organization('caf\u00e9'), organization('caf\u00e8'), organization('plain'))),
    )
    assert.deepEqual([result.records, result.failed, result.cutOff], [1, 2, undefined])
    assert.deepEqual(faultsOf(result), [
      '2 not_utf8: the line is not UTF-8: its byte 47 is 0xe9, which is not UTF-8',
      '3 not_utf8: the line is not UTF-8: its byte 47 is 0xe8, which is not UTF-8',
    ])
    const rows = await importCsv('users', latin1('userId,name\nren\u00e9,x\nren\u00e8,y\nada,\u00fc\nbob,z\n'))
    assert.deepEqual([rows.records, rows.failed], [1, 3])
    assert.deepEqual(faultsOf(rows), [
      '2 not_utf8: column userId is not UTF-8: its byte 4 is 0xe9, which is not UTF-8',
      '3 not_utf8: column userId is not UTF-8: its byte 4 is 0xe8, which is not UTF-8',
      '4 not_utf8: column name is not UTF-8: its byte 1 is 0xfc, which is not UTF-8',
    ])
    assert.deepEqual((await to.profiles.list()).profiles, [{ userId: 'bob', name: 'z' }])
  })

  it('is refused by name if it is UTF-16 or compressed', async () => {
    const text = '\ufeffuserId\nada\n'
    for (const bytes of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()]) {
      await assert.rejects(importLines(bytes), { message: 'The file is UTF-16, not UTF-8.', next: 'Save it as UTF-8.' })
      await assert.rejects(importCsv('users', bytes), { message: 'The file is UTF-16, not UTF-8.' })
    }
    await assert.rejects(importCsv('users', Uint8Array.of(0x1f, 0x8b, 8, 0)), {
      message: 'The file is compressed with gzip.',
    })
    await assert.rejects(importCsv('users', latin1('userId,n\u00e4me\n')), { message: /header row.*byte 2 is 0xe4/ })
  })

  it('is accepted with a byte order mark, and if a chunk ends within a character', async () => {
    const text = `\ufeff${exportOf(organization('caf\u00e9-\u{1f600}'))}`
    assert.deepEqual(
      [(await importLines(text)).failed, (await importCsv('users', '\ufeff"userId"\n\u{1f600}\n')).failed],
      [0, 0],
    )
    async function* bytewise() {
      for (const byte of Buffer.from(text)) yield Uint8Array.of(byte)
    }
    const read = await Array.fromAsync(exportEntries(bytewise(), 'apiKey'))
    async function* rowsBytewise() {
      for (const byte of Buffer.from('\ufeff"userId",name\r\n"é",Ada\r\n')) yield Uint8Array.of(byte)
    }
    const rows = (await Array.fromAsync(csvEntries(rowsBytewise(), 'users'))).flat()
    assert.deepEqual(
      rows.map((entry) => ('record' in entry ? entry.record : entry.fault)),
      [{ record: 'user', userId: 'é', profile: { name: 'Ada' } }],
    )
    assert.deepEqual(
      read.flat().map((entry) => ('record' in entry ? entry.record.record : entry.fault)),
      ['export', 'organization', 'end'],
    )
  })

  it('is refused with unpaired surrogates and NUL in escapes, in a dry run too', async () => {
    for (const escaped of ['\\ud800', '\\u0000'])
      for (const dryRun of [true, false]) {
        writeFileSync(file, exportOf(`{"record":"user","userId":"ada","profile":{"name":"${escaped}"}}\n`))
        const result = await importFrom(file, to, { dryRun })
        assert.deepEqual(faultsOf(result), [
          '2 invalid_record: profile.name must not contain NUL or unpaired surrogates',
        ])
      }
  })
})

describe('a row of CSV', () => {
  const HEAD = 'userId,type,id,organizationId,accessRole,expiresAt\n'
  const ROW = 'ada,document,d,acme,viewer,4000000000\n'

  it('grants nothing if it is cut at any position', async () => {
    for (let end = 1; end < ROW.length; end++) {
      const { records, failed, cutOff } = await importCsv('grants', HEAD + ROW.slice(0, end))
      assert.deepEqual([records, cutOff === undefined && failed === 0], [0, false], ROW.slice(0, end))
      const within = await importCsv('grants', `${HEAD}${ROW.slice(0, end)}\n${ROW.replace('ada', 'bob')}`)
      const isWhole = end === ROW.length - 1
      // A cut in the last cell may leave a shorter cell; all other cuts leave fewer cells.
      const isCutInLastCell = ROW.slice(0, end).split(',').length === 6
      assert.equal(within.failed, isWhole || isCutInLastCell ? 0 : 1, ROW.slice(0, end))
    }
  })

  it('is refused with more or fewer cells than the header row', async () => {
    const result = await importCsv('grants', `${HEAD}ada,document,d,acme\nbob,document,d,acme,viewer,,\n${ROW}`)
    assert.deepEqual(faultsOf(result), [
      '2 invalid_record: the row has 4 cells, but the header row has 6 columns',
      '3 invalid_record: the row has 7 cells, but the header row has 6 columns',
    ])
    assert.equal(result.records, 1)
  })

  it('of a grant names its role: the default of the API would make an editor', async () => {
    const { records, errorsFile } = await importCsv('grants', `${HEAD}ada,document,d,acme,,\n`)
    assert.deepEqual(
      [records, faultsIn(errorsFile)[0]?.message],
      [0, 'column accessRole must be viewer, commenter or editor'],
    )
    await assert.rejects(importCsv('grants', 'userId,type,id\nada,organization,acme\n'), {
      message: /no column “accessRole”/,
    })
  })

  it('that ends the file without a line break is not imported, and the others are', async () => {
    const { records, cutOff } = await importCsv('grants', HEAD + ROW + ROW.replace('ada', 'bob').trimEnd())
    assert.equal(records, 1)
    assert.match(cutOff ?? '', /^The file ends in row 3 without a line break/)
    assert.deepEqual(
      (await to.grants.list({ organizationId: 'acme' })).grants.map(({ userId }) => userId),
      ['ada'],
    )
  })

  it('is not read from a file with other separators, as its header row shows', async () => {
    await assert.rejects(importCsv('users', 'userId;name\nada;Ada\n'), { message: /not separated by commas/ })
  })

  it('restores text that an export protected against formulas', async () => {
    const names = ['=1+1', " '=1", "'=1", "''=1", ' =1', '\t@x', 'a;=1', "it's"]
    const rows = names.map((name, index) => [`u${index}`, name])
    const { failed } = await importCsv('users', csvRows([['userId', 'name'], ...rows]))
    assert.equal(failed, 0)
    assert.deepEqual(
      (await to.profiles.list()).profiles.map(({ userId, name }) => [userId, name]),
      rows,
    )
  })
})
