/**
 * The README and the guides work: readers can follow them from a new folder, and their blocks print the output that the
 * pages show. A push follows the shortest from a checkout; the full run follows all of them, and with the published
 * package in an empty folder those that need no checkout.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import pg from 'pg'
import { afterAll, describe, it } from 'vitest'
import { addFolders } from '#contract/resources/folders.ts'
import { cleanUp } from '#testing/clean-up.ts'
import { blocksOf } from '#testing/pages/blocks.ts'
import { follow, needsOnlyPackages } from '#testing/pages/follow.ts'
import { assertPrinted } from '#testing/pages/printed.ts'
import { type Installed, installPackage } from '#testing/processes/package.ts'
import { FULL } from '#testing/run/mode.ts'
import { startOwnPostgres } from '#testing/run/postgres.ts'
import { ENGINE, sharedServer, startServer } from '#testing/server.ts'
import { startMailServer } from '#testing/stand-ins/mail-server.ts'
import { read } from '../repository/sources.ts'
import { followedPages } from './page-census.ts'

/** Things that pages name and readers have. */
const GIVEN: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  'docs/guides/send-mail.md': async () => ({ SMTP_URL: (await startMailServer()).url }),
  'docs/guides/several-databases.md': () => databasesOfGuide(blockOf('docs/guides/several-databases.md', 'sql')),
}

const SHORTEST = ['README.md', 'docs/guides/use-the-client.md']

/** The README of the package is about nothing else. */
const WITH_PACKAGE = FULL ? ['cli/README.md', ...followedPages()].filter((page) => needsOnlyPackages(read(page))) : []
const FROM_CHECKOUT = FULL ? followedPages().filter((page) => !WITH_PACKAGE.includes(page)) : []

describe.concurrent('readers can follow', () => {
  for (const page of new Set([...SHORTEST, ...FROM_CHECKOUT]))
    it(`${page} from a checkout`, async () => {
      assertPrinted(await follow(read(page), { given: await GIVEN[page]?.() }))
    })

  for (const page of WITH_PACKAGE)
    it(`${page} with the package in an empty folder`, async () => {
      const installed = await thePackage()
      assertPrinted(await follow(read(page), { given: await GIVEN[page]?.(), installed }))
    })
})

let packed: Promise<Installed> | undefined
const thePackage = (): Promise<Installed> => {
  packed ??= installPackage()
  return packed
}
afterAll(async () => {
  if (packed !== undefined) rmSync((await packed).project, { recursive: true, force: true })
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

const SETTINGS = { wal_level: 'logical', synchronous_commit: 'on', max_worker_processes: 20 }

/**
 * Starts the PostgreSQL servers that the guide to several databases names: three with its role and database, and an empty database to
 * move to. Runs `statements` as a superuser on each server, as the guide says.
 */
async function databasesOfGuide(statements: string): Promise<Record<string, string>> {
  const started = await Promise.all([1, 2, 3].map(() => startOwnPostgres({ fsync: false, settings: SETTINGS })))
  for (const postgres of started) cleanUp(() => postgres.stop())
  const urls: string[] = []
  for (const { url } of started) {
    const client = new pg.Client(url)
    await client.connect()
    for (const one of statements.trim().split(';\n')) await client.query(one)
    await client.query('create database eu owner commonhold')
    // The target of the bucket's move, with PostgreSQL 15.
    if (urls.length === 0) await client.query('alter role commonhold superuser')
    await client.end()
    urls.push(url.replace('postgres@', 'commonhold:secret@').replace(/\/postgres$/, '/commonhold'))
  }
  const [HOME_URL = '', EU_URL = '', US_URL = ''] = urls
  // The move of a key waits for calls under way.
  const REQUEST_TIMEOUT_MS = '3000'
  return { HOME_URL, EU_URL, US_URL, NEW_URL: HOME_URL.replace(/commonhold$/, 'eu'), REQUEST_TIMEOUT_MS }
}
