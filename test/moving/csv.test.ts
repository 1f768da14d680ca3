/** Imports CSV files of each kind of record. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, it } from 'vitest'
import { listEvents } from '#contract/events/events.ts'
import { MovingFailure } from '#moving/failure.ts'
import type { Client } from '#sdk/index.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { startScript, temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { type CsvKind, csvEntries } from '../../cli/moving/files/csv.ts'
import { stateFileOf } from '../../cli/moving/import/import-file.ts'
import { faultsIn, importFrom } from './files.ts'

const server = await sharedServer()
const file = path.join(temporaryFolder(), 'rows.csv')
let to: Client
beforeEach(async () => {
  to = apiKeyClient(server.url, await server.newKey())
})

const rows = (kind: CsvKind, text: string, options = {}) => {
  writeFileSync(file, text)
  return importFrom(file, to, { entriesOf: (input, after) => csvEntries(input, kind, after), ...options })
}
const organizationId = 'acme'

describe('a CSV file', () => {
  it('of users becomes profiles with custom fields', async () => {
    const text =
      '\ufeffuserId,name,email,isAdmin,metadata.team\r\nada,"Lovelace, ""Ada""",ada@example.com,true,x\r\nbob,,,FALSE,\r\n'
    const { records, errorsFile, cutOff } = await rows('users', text)
    assert.deepEqual([records, faultsIn(errorsFile), cutOff], [2, [], undefined])
    const [ada, bob] = (await to.profiles.list()).profiles
    assert.equal(JSON.stringify(ada?.team), '"x"')
    assert.partialDeepStrictEqual(ada, { name: 'Lovelace, "Ada"', email: 'ada@example.com', isAdmin: true })
    assert.deepEqual(bob, { userId: 'bob', isAdmin: false })
  })

  it('of each kind becomes records of that kind, in any order of columns', async () => {
    await rows('organizations', 'organizationName,organizationId\nAcme,acme\n')
    await rows('folders', 'folderId,parentFolderId,organizationId\nb,a,acme\na,,acme\n')
    await rows('documents', 'organizationId,documentId,folderId,accessType,metadata.color\nacme,d,b,restricted,red\n')
    await rows(
      'grants',
      'userId,type,id,organizationId,accessRole,expiresAt\nada,organization,acme,,viewer,\nada,document,d,acme,editor,4000000000\n',
    )
    await rows('user-groups', 'organizationId,groupId,groupName\nacme,g,G\n')
    const { failed } = await rows('user-group-users', 'organizationId,groupId,userId\nacme,g,ada\n')
    assert.equal(failed, 0)
    assert.deepEqual(await to.documents.get({ organizationId }), [
      {
        color: 'red',
        id: 'd',
        disabled: false,
        accessType: 'restricted',
        inheritAccessFromParent: false,
        folderId: 'b',
      },
    ])
    assert.deepEqual((await to.grants.list({ organizationId })).grants, [
      { userId: 'ada', type: 'organization', id: 'acme', accessRole: 'viewer' },
      { userId: 'ada', type: 'document', id: 'd', accessRole: 'editor', expiresAt: 4_000_000_000 },
    ])
    const users = await to.users.get({ organizationId, organizationUserGroupIds: ['g'] })
    assert.equal(users[0]?.userId, 'ada')
  })

  it('is imported except for invalid cells, which are reported with line and column', async () => {
    const text =
      'userId,type,id,organizationId,accessRole,expiresAt\nada,document,d,acme,owner,\nada,document,"d\nd",acme,viewer,\nbob,document,d,acme,viewer,tomorrow\ncyd,document,d,acme,viewer,1,2\neve,document,d,acme,viewer,\n'
    const { records, failed, errorsFile } = await rows('grants', text)
    assert.deepEqual([records, failed], [1, 4])
    const faults = faultsIn(errorsFile)
    assert.deepEqual(
      faults.map(({ line }) => line),
      [2, 4, 5, 6],
    )
    assert.match(faults[0]?.message ?? '', /^column accessRole must be/)
    assert.match(faults[1]?.message ?? '', /^column id /)
    assert.match(faults[2]?.message ?? '', /^column expiresAt: must be a whole number, not "tomorrow"/)
    assert.match(faults[3]?.message ?? '', /7 cells, but the header row has 6 columns/)
  })

  it('is refused if its header row has an unknown column', async () => {
    const cases: [CsvKind, string, RegExp, RegExp][] = [
      ['grants', 'userid,type\n', /column “userid”/, /Did you mean “userId”\?/],
      ['grants', 'userId,colour\n', /column “colour”/, /They have userId, groupId, type, id/],
      ['grants', 'userId,metadata.x\n', /column “metadata.x”/, /They have/],
      ['users', 'userId,userId\n', /two columns/, /Remove one/],
      ['users', '', /empty/, /first row/],
    ]
    for (const [kind, text, message, next] of cases)
      await assert.rejects(rows(kind, text), (error) => {
        assert.ok(error instanceof MovingFailure)
        assert.match(error.message, message)
        assert.match(error.next, next)
        return true
      })
  })

  it('is imported without rows that are not valid CSV', async () => {
    const text = 'organizationId\na\nb\n"c\n'
    const { records, errorsFile } = await rows('organizations', text)
    assert.equal(records, 2)
    const [fault, ...others] = faultsIn(errorsFile)
    assert.deepEqual([fault?.reason, others], ['not_csv', []])
    assert.match(fault?.message ?? '', /a quote in line 4 or after it opens a cell that never ends/)
  })

  it('says for each fault of quotes what to write instead, without the bytes of the parser', async () => {
    const { records, errorsFile } = await rows('users', 'userId,name\na,A"da\nb,Bob\nc,"C"y\n')
    const faults = faultsIn(errorsFile)
    const lines = faults.map(({ line }) => line)
    assert.deepEqual([records, lines], [1, [2, 4, 4]]) // everything after a faulty quote is inside quotes
    for (const { message } of faults) assert.match(message, /^a .* Write a cell that has quotes in quotes/)
    assert.match(faults.at(-1)?.message ?? '', /the rows from line 4 on were not read/)
  })

  it('says once where a row is too long to be read, and that no row was read from there on', async () => {
    const long = 'x'.repeat(3 * 1024 * 1024)
    const cases = [`c,${long}\n`, `c,"${long}\nmallory,M\n"\n`, `${long}mallory,M\n`]
    for (const row of cases) {
      const { records, errorsFile } = await rows('users', `userId,name\na,A\nb,B\n${row}d,D\ne,E\n`)
      const [fault, ...others] = faultsIn(errorsFile)
      assert.deepEqual([records, fault?.reason, others], [2, 'not_csv', []])
      assert.match(
        fault?.message ?? '',
        /line 4 has more than 2,097,152 bytes, so the rows from line 4 on were not read/,
      )
      assert.deepEqual(
        (await to.profiles.list()).profiles.map(({ userId }) => userId),
        ['a', 'b'],
      )
    }
  })

  it('ends a row at every kind of line break, also in one file', async () => {
    const text = 'userId,name\na,Ada\r\nb,"Bo\r\nb"\nc,Cy\r\nd,Dee\n'
    const names = { a: 'Ada', b: 'Bo\r\nb', c: 'Cy', d: 'Dee' }
    for (const file of [text, text.replace('\n', '\r\n'), text.replace(/\r?\n(?!b")/g, '\r')]) {
      const { records, errorsFile } = await rows('users', file)
      assert.deepEqual([records, faultsIn(errorsFile)], [4, []])
      const { profiles } = await to.profiles.list()
      assert.deepEqual(Object.fromEntries(profiles.map(({ userId, name }) => [userId, name])), names)
    }
  })

  it('that is cut off between CR and LF is reported as truncated', async () => {
    const { records, cutOff } = await rows('users', 'userId,name\r\na,Ada\r\nb,Bob\r')
    assert.equal(records, 1)
    assert.match(cutOff ?? '', /row 3 without a line break/)
  })
})

describe('an import of CSV that is killed in the middle', () => {
  it('continues after its last portion, with the same result as without the kill', async () => {
    const count = 60
    const lines = Array.from(
      { length: count },
      (_, index) => `user ${index % 7},document,"d ${index}, ""in two\nlines""",${organizationId},viewer,`,
    )
    // A cell of two lines is not an id, so every tenth row is refused, but only once, although some rows are read
    // twice.
    const rowsOf = (text: string, index: number) => (index % 10 === 3 ? text : text.replace('\n', ' '))
    const text = `userId,type,id,organizationId,accessRole,expiresAt\n${lines.map(rowsOf).join('\n')}\n`
    const [killed, whole] = [await server.newKey(), await server.newKey()]
    writeFileSync(file, text)
    const script = path.join(import.meta.dirname, 'importing-process.ts')
    const args = [file, server.url, JSON.stringify(killed.headers), 'grants']
    const importing = startScript(script, {}, args)
    while (!existsSync(stateFileOf(file)) && importing.child.exitCode === null) await sleep(1)
    await importing.kill('SIGKILL')
    const { line } = JSON.parse(readFileSync(stateFileOf(file), 'utf8'))
    assert.ok(line > 1 && line < count, `it was killed after line ${line}`)

    const entriesOf = (input: AsyncIterable<Uint8Array>, after: number) => csvEntries(input, 'grants', after)
    const resumed = await importFrom(file, apiKeyClient(server.url, killed), { entriesOf, resume: true })
    const refused = faultsIn(resumed.errorsFile)
    const other = await importFrom(file, apiKeyClient(server.url, whole), { entriesOf })
    assert.deepEqual(resumed, other)
    assert.deepEqual(refused, faultsIn(other.errorsFile))
    assert.equal(refused.length, count / 10)
    const written = async (key: typeof killed) => ({
      grants: (await apiKeyClient(server.url, key).grants.list({ organizationId })).grants,
      events: (await key.call(listEvents, { pageSize: 1_000 })).events
        .map(({ type, resource, userId }: { type: string; resource?: object; userId?: string }) =>
          JSON.stringify([type, resource, userId]),
        )
        .sort(),
    })
    assert.deepEqual(await written(killed), await written(whole))
  })
})
