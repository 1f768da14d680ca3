/**
 * Runs the tests: at the same time what needs no database, the rest on the embedded engine, and the rest on a real
 * PostgreSQL. `--engine embedded|postgres` picks one; other arguments are parts of file names.
 */
import { once } from 'node:events'
import { globSync } from 'node:fs'
import path from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { databaseClock } from '#platform/clock.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPostgres } from '#platform/db/postgres.ts'
import { makeTemplate } from '#platform/db/template.ts'
import { startJobs } from '#platform/jobs.ts'
import { createLog } from '#platform/log.ts'
import { startPostgres } from './support/postgres.ts'
import { TEMPLATE_DATABASE } from './support/server.ts'

const ROOT = path.join(import.meta.dirname, '..')

/** Of each suite. Many files wait most of their time: for processes, leases, receivers that do not answer. */
const FILES_AT_ONCE = { alone: 1, embedded: 2, postgres: 2 }

/** A file that waits for ever fails; the slowest takes minutes on a busy machine. The soak takes hours. */
const FILE_TIMEOUT_MS = Number(process.env.FILE_TIMEOUT_MS ?? 480_000)

/** The longest begin first, so that no core waits for them at the end. */
const isSlow = (file: string): boolean => /^test\/(concurrency|crash|lifecycle|matrix|moving)\//.test(file)

const options = process.argv.slice(2)
const at = options.indexOf('--engine')
const [, only] = at === -1 ? [] : options.splice(at, 2)
const chosen = globSync('{contract,server,test}/**/*.test.ts', { cwd: ROOT })
  .sort((one, other) => Number(isSlow(other)) - Number(isSlow(one)) || (one < other ? -1 : 1))
  .filter((file) => options.length === 0 || options.some((part) => file.includes(part)))

/** What only calls the API, which is tested on both engines, runs on one. */
const onEmbeddedAlone = (file: string) => /^test\/(cli|sdk)\//.test(file)

/**
 * Transactions of the embedded engine run one after the other: who races, races on PostgreSQL. So does what people do in a
 * browser, which costs most; every view is opened on the embedded engine by `once/console-views`.
 */
const onPostgresAlone = (file: string) => /^test\/(console|concurrency\/(?!ambient-|locked-))/.test(file)

/** Tests that start no server, and those that start their own on both engines, run once. */
const needsNoEngine = (file: string) => /^(contract|server\/(http|platform)|test\/once)\//.test(file)

const TITLES = { alone: 'without a database', embedded: 'embedded engine', postgres: 'PostgreSQL' }
const totals = { passed: 0, failed: 0, skipped: 0 }

/** Runs the files of a suite and prints what they say once those before it have been printed. */
async function suite(kind: keyof typeof FILES_AT_ONCE, files: string[], printed: Promise<void>): Promise<void> {
  if (files.length === 0) return printed
  const stream = run({
    files: files.map((file) => path.join(ROOT, file)),
    concurrency: FILES_AT_ONCE[kind],
    timeout: FILE_TIMEOUT_MS,
    cwd: ROOT,
    env: { ...process.env, TEST_ENGINE: kind },
  })
  stream.on('test:summary', ({ file, counts }) => {
    if (file !== undefined) return
    totals.passed += counts.passed
    totals.failed += counts.tests - counts.passed - counts.skipped - counts.todo
    totals.skipped += counts.skipped
  })
  const report = stream.compose(spec)
  const ended = once(report, 'end')
  const lines: unknown[] = []
  const keep = (text: unknown) => lines.push(text)
  report.on('data', keep)
  await printed
  report.off('data', keep)
  process.stdout.write(`\n== ${TITLES[kind]}: ${files.length} files\n${lines.join('')}`)
  report.on('data', (text) => process.stdout.write(text))
  await ended
}

/** A database with the schema in it, for the tests to copy. */
async function migrateTemplate(baseUrl: string): Promise<void> {
  const base = await openPostgres(baseUrl, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
  await base.script(`drop database if exists ${TEMPLATE_DATABASE}`)
  await base.script(`create database ${TEMPLATE_DATABASE}`)
  await base.close()
  const url = new URL(baseUrl)
  url.pathname = `/${TEMPLATE_DATABASE}`
  const db = await openPostgres(url.href, databaseClock, { connections: 2, statementTimeoutMs: 60_000 })
  await migrate(db)
  await (await startJobs(db, createLog('silent'))).stop()
  await db.close()
}

async function onPostgres(files: string[], printed: Promise<void>): Promise<void> {
  if (files.length === 0) return printed
  const postgres = await startPostgres({ fsync: false })
  process.env.TEST_DATABASE_URL = postgres.url
  await migrateTemplate(postgres.url)
  await suite('postgres', files, printed)
  await postgres.stop()
}

/** Each file is a process that loads the whole server: with its modules compiled before, in half of the time. */
process.env.NODE_COMPILE_CACHE ??= path.join(ROOT, 'node_modules/.cache/commonhold/compiled')

const started = Date.now()
await makeTemplate()
const files = chosen.filter((file) => !needsNoEngine(file))
const alone = suite('alone', chosen.filter(needsNoEngine), Promise.resolve())
const onEmbedded = only === 'postgres' ? [] : files.filter((file) => only === 'embedded' || !onPostgresAlone(file))
const embedded = suite('embedded', onEmbedded, alone)
const stored = only === 'embedded' ? [] : files.filter((file) => only === 'postgres' || !onEmbeddedAlone(file))
await Promise.all([alone, embedded, onPostgres(stored, embedded)])
process.stdout.write(`\n${Math.round((Date.now() - started) / 1000)} s\n`)
process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`)
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1)
