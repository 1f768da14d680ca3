/** Every field of folders is supported everywhere: in calls, events, export, import, answers of a hosted service, and the command line. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import {
  addFolders,
  FOLDER_FIELDS,
  type FolderChanges,
  getFolders,
  updateFolders,
} from '#contract/resources/folders.ts'
import { newAcme, organizationId } from '#testing/acme.ts'
import { apiKeyClient } from '#testing/clients.ts'
import { environmentOf } from '#testing/processes/cli.ts'
import { cliInProcess as cli } from '#testing/processes/in-process-cli.ts'
import { temporaryFolder } from '#testing/processes/process.ts'
import { sharedServer } from '#testing/server.ts'
import { exportTo, importWhole } from '../../moving/files.ts'

const server = await sharedServer()
const folder = temporaryFolder()
const [{ folderId, ...values } = assert.fail()] = addFolders.example.folders
const names = Object.keys(FOLDER_FIELDS) as (keyof typeof FOLDER_FIELDS)[]

/** Returns an organization with one folder that has the field, and the results of its calls. */
async function acmeWith(fields: object) {
  const acme = await newAcme(server)
  await acme.call(addFolders, { folders: [{ folderId, ...fields }] })
  return {
    ...acme,
    update: (changes: FolderChanges) => acme.call(updateFolders, { folders: [{ folderId, ...changes }] }),
    /** Returns a field of the folder from every list. */
    async read(name: keyof typeof FOLDER_FIELDS) {
      const queries = [{}, { folderId }, { folderIds: [folderId] }, { rootFoldersOnly: true, orderBy: 'name' }]
      const found = await Promise.all(queries.map((query) => acme.call(getFolders, query)))
      const read = new Set(found.map(([record]) => record[name]))
      assert.equal(read.size, 1)
      return [...read][0]
    },
  }
}

it('the example of folders.add has every field', () => assert.deepEqual(Object.keys(values), names))

for (const name of names)
  describe(`the field ${name} of folders`, () => {
    const value = values[name]

    it('is added, kept while it is absent, cleared by null and set again', async () => {
      const { read, update } = await acmeWith({ [name]: value })
      assert.equal(await read(name), value)
      await update({ parentFolderId: 'root' } as object)
      for (const other of names) if (other !== name) await update({ [other]: values[other] })
      assert.equal(await read(name), value)
      await update({ [name]: null })
      assert.equal(await read(name), undefined)
      await update({ [name]: value })
      assert.equal(await read(name), value)
    })

    it('is in the events of the folder, and an update to the same value writes none', async () => {
      const { call, events, update } = await acmeWith({ [name]: value })
      const [cleared] = await events(() => update({ [name]: null }))
      assert.deepEqual([cleared?.type, cleared?.before[name], cleared?.after[name]], ['folder.updated', value, null])
      assert.deepEqual(await events(() => update({ [name]: null })), [])
      const [added] = await events(() => call(addFolders, { folders: [{ folderId: 'other', [name]: value }] }))
      assert.deepEqual([added?.type, added?.after[name]], ['folder.added', value])
    })

    it('is in an export, and the same after an import, which also clears it', async () => {
      const file = (one: string) => path.join(folder, `${name} ${one}.ndjson`)
      const clientOf = async (fields: object) => apiKeyClient(server.url, (await acmeWith(fields)).key)
      const [full, empty] = await Promise.all([clientOf({ [name]: value }), clientOf({})])
      const [withValue, without] = [await exportTo(file('full'), full), await exportTo(file('empty'), empty)]
      assert.ok(withValue.includes(JSON.stringify({ [name]: value }).slice(1, -1)))
      await importWhole(file('full'), empty)
      assert.equal(await exportTo(file('filled'), empty), withValue)
      await importWhole(file('empty'), full)
      assert.equal(await exportTo(file('cleared'), full), without)
    })

    it('is moved from the answers of a hosted service', async () => {
      const [from, to] = [path.join(folder, `${name} answers.ndjson`), path.join(folder, `${name} moved.ndjson`)]
      const answer = { record: 'answer', in: { organizationId } }
      const lines = [
        { record: 'answers', format: 1 },
        { ...answer, path: 'organizations/get', item: { id: organizationId } },
        { ...answer, path: 'organizations/folders/get', item: { folderId, [name]: value } },
        { record: 'end', records: 2 },
      ]
      writeFileSync(from, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      const { code, stderr } = await cli(['move', 'convert', from, to])
      assert.equal(code, 0, stderr)
      assert.match(readFileSync(to, 'utf8'), new RegExp(`"folderId":"${folderId}",.*"${name}":"`))
    })

    it('is an option and a column of the command line', async () => {
      const { key, read } = await acmeWith({})
      const environment = environmentOf(server.url, { apiKey: key })
      const run = (...args: string[]) => cli(['folder', ...args, '--org', organizationId], environment)
      const option = [`--${name.replace(/^folder/, '').toLowerCase()}`, String(value)]
      assert.equal((await run('update', folderId, ...option)).code, 0)
      assert.equal(await read(name), value)
      assert.equal((await run('add', 'other', ...option)).code, 0)
      assert.equal((await run('list')).stdout.split(String(value)).length, 3)
    })
  })
