/**
 * The README and the guides work: readers can follow them from a new folder, and their blocks print what is shown. The full run
 * follows all of them, a push the shortest.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { addFolders } from '#contract/resources/folders.ts'
import { blocksOf } from '#testing/pages/blocks.ts'
import { follow } from '#testing/pages/follow.ts'
import { assertPrinted } from '#testing/pages/printed.ts'
import { FULL } from '#testing/run/mode.ts'
import { ENGINE, sharedServer, startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { read } from '../repository/sources.ts'
import { databasesOfGuide } from './databases-of-guide.ts'
import { followedPages } from './page-census.ts'

/** What pages name and readers have. */
const GIVEN: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'docs/guides/send-mail.md': async () => ({ SMTP_URL: (await startMailServer()).url }),
  'docs/guides/several-databases.md': () => databasesOfGuide(blockOf('docs/guides/several-databases.md', 'sql')),
}

const SHORTEST = ['README.md', 'docs/guides/use-the-client.md']

describe.concurrent('readers can follow', () => {
  for (const page of FULL ? followedPages() : SHORTEST)
    it(`${page} from a new folder`, async () => assertPrinted(await follow(read(page), await GIVEN[page]?.())))
})

const blockOf = (page: string, language: string): string =>
  blocksOf(read(page)).find((block) => block.language === language)?.content ??
  assert.fail(`${page} has no ${language}`)

describe.skipIf(ENGINE === 'embedded')('the statements for operators', () => {
  for (const page of ['docs/guides/operate.md', 'docs/guides/scale.md'])
    it(`of ${page} run on the database of a server`, async () => {
      const { db } = await startServer()
      await db.query(blockOf(page, 'sql').trim().replace(/;$/, ''))
    })
})

/** The code of this guide is a test: it runs here. */
const given = { assert, describe, it, addFolders, startServer: () => sharedServer() }
const AsyncFunction = (async () => {}).constructor as FunctionConstructor
await AsyncFunction(...Object.keys(given), blockOf('docs/guides/add-an-operation.md', 'ts'))(...Object.values(given))
