/**
 * `npm run bench`: measures the figures in bench/results. Machines may be shared, so each figure has a ratio to a
 * baseline of the same run and load generator. Options: `--seconds N` per measurement (default 5),
 * `--engine embedded|postgres`, `--only grants|checks|management|lists|webhooks|expiry|depth|migration` or one that
 * runs only by name: `capacity|home-page|bulk|scale|memory|events|moving|console|search|comments|comment-mails|peers`,
 * `--documents N` in the large organization or folder, `--events N` of the key, `--expiries N` at one moment,
 * `--grants N` to export and import, `--threads N` to read among, `--followers N` to mail, `--organizations N` of
 * `peers`, `--minutes N` of `memory`, `--write` to bench/results.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres, type TestPostgres } from '#testing/run/postgres.ts'
import { benchBulk } from './bulk.ts'
import { benchCapacity } from './capacity.ts'
import { benchChecks } from './checks.ts'
import { benchCommentMails } from './comment-mails.ts'
import { benchComments } from './comments.ts'
import { benchConsole } from './console.ts'
import { benchDepth } from './depth.ts'
import { benchEvents } from './events.ts'
import { benchExpiry } from './expiry.ts'
import { benchGrants } from './grants.ts'
import { benchHomePage } from './home-page.ts'
import { benchLists } from './lists.ts'
import { benchManagement } from './management.ts'
import { benchMemory } from './memory.ts'
import { benchMigration } from './migration.ts'
import { benchMoving } from './moving.ts'
import { benchPeers } from './peers.ts'
import { benchScale } from './scale.ts'
import { benchSearch } from './search.ts'
import { generator } from './support/load.ts'
import { say, writeReport } from './support/report.ts'
import { embeddedStore, postgresStore } from './support/store.ts'
import { benchWebhooks } from './webhooks.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    engine: { type: 'string' },
    only: { type: 'string' },
    documents: { type: 'string', default: '1000000' },
    expiries: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '10000000' },
    grants: { type: 'string', default: '1000000' },
    threads: { type: 'string', default: '1000000' },
    followers: { type: 'string', default: '10000' },
    organizations: { type: 'string', default: '64' },
    minutes: { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
})
const seconds = Number(options.seconds)
const date = new Date().toISOString().slice(0, 10)
const COMMON = { LOG_LEVEL: 'warn', SIGNUP: 'open', CONCURRENT_CALLS_PER_KEY: '0', DATABASE_MS_PER_KEY: '0' }

say(`# ${options.only ?? 'all'}, ${date}`)
say(
  `\n${os.cpus().length} × ${os.cpus()[0]?.model}, Node ${process.versions.node}, ${generator}, ${seconds} s a measurement, LOG_LEVEL=warn, PostgreSQL with fsync and a quarter of the memory as shared_buffers.`,
)
const isSelected = (name: string) => options.only === undefined || options.only === name
if (options.engine !== 'postgres') {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-bench-data-'))
  const settings = { ...COMMON, DATA_DIR: folder }
  if (isSelected('grants')) await benchGrants('embedded', settings, seconds)
  if (isSelected('checks'))
    await benchChecks({ engine: 'embedded', settings, seconds, withStore: embeddedStore(folder) })
  rmSync(folder, { recursive: true })
}
if (options.engine !== 'embedded') {
  // The recommendation of docs/guides/scale.md.
  const settings = { shared_buffers: `${Math.floor(os.totalmem() / 4 / 1024 / 1024)}MB` }
  const postgres = await startPostgres({ fsync: true, settings })
  await measureOn(postgres).finally(() => postgres.stop())
}
if (options.write) writeReport(options.only === undefined ? date : `${date}-${options.only}`)

async function measureOn(postgres: TestPostgres): Promise<void> {
  const settings = { ...COMMON, DATABASE_URL: postgres.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  if (isSelected('grants')) await benchGrants('postgres', settings, seconds)
  if (isSelected('checks'))
    await benchChecks({ engine: 'postgres', settings, seconds, withStore: postgresStore(postgres.url) })
  if (isSelected('management'))
    await benchManagement(postgres.url, settings, { documents: Number(options.documents), seconds })
  if (isSelected('webhooks')) await benchWebhooks(settings, seconds)
  if (isSelected('expiry')) await benchExpiry(settings, Number(options.expiries))
  if (isSelected('lists')) await benchLists(postgres.url, settings, { documents: Number(options.documents), seconds })
  if (isSelected('depth')) await benchDepth(settings)
  if (isSelected('migration')) await benchMigration(settings, 1_000_000)
  if (options.only === 'bulk') await benchBulk(postgres.url, settings, seconds)
  if (options.only === 'home-page') await benchHomePage(settings, seconds)
  if (options.only === 'events') await benchEvents(settings, Number(options.events), seconds)
  if (options.only === 'moving') await benchMoving(settings, Number(options.grants))
  if (options.only === 'console') await benchConsole(postgres.url, settings, Number(options.documents))
  if (options.only === 'search') await benchSearch(postgres.url, settings, { documents: Number(options.documents) })
  if (options.only === 'comments')
    await benchComments(postgres.url, settings, { threads: Number(options.threads), seconds })
  if (options.only === 'comment-mails') await benchCommentMails(postgres.url, settings, Number(options.followers))
  if (options.only === 'capacity') await benchCapacity(postgres.url, settings, seconds)
  if (options.only === 'peers')
    await benchPeers(postgres.url, settings, { organizations: Number(options.organizations), seconds })
  if (options.only === 'scale') await benchScale(settings)
  if (options.only === 'memory') await benchMemory(settings, Number(options.minutes))
}
