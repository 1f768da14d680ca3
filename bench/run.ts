/**
 * `npm run bench`: what the figures in bench/results are made with. One run, one load generator, ratios to a floor of the
 * same run, because these machines are shared. Options: `--seconds N` for each measurement (default 5), `--engine
 * embedded|postgres`, `--only grants|management`, `--documents N` of the large organization, `--write` into bench/results.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/support/postgres.ts'
import { benchGrants } from './grants.ts'
import { generator } from './load.ts'
import { benchManagement } from './management.ts'
import { say, writeReport } from './report.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    engine: { type: 'string' },
    only: { type: 'string' },
    documents: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
  },
})
const seconds = Number(options.seconds)
const date = new Date().toISOString().slice(0, 10)
const COMMON = { LOG_LEVEL: 'warn', SIGNUP: 'open' }

say(`# ${options.only ?? 'all'}, ${date}`)
say(
  `\n${os.cpus().length} × ${os.cpus()[0]?.model}, Node ${process.versions.node}, ${generator}, ${seconds} s a measurement, LOG_LEVEL=warn, PostgreSQL with fsync.`,
)
if (options.engine !== 'postgres' && options.only !== 'management') {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'commonhold-bench-data-'))
  await benchGrants('embedded', { ...COMMON, DATA_DIR: folder }, seconds)
  rmSync(folder, { recursive: true })
}
if (options.engine !== 'embedded') {
  const postgres = await startPostgres({ fsync: true })
  const settings = { ...COMMON, DATABASE_URL: postgres.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  if (options.only !== 'management') await benchGrants('postgres', settings, seconds)
  if (options.only !== 'grants')
    await benchManagement(postgres.url, settings, { documents: Number(options.documents), seconds })
  await postgres.stop()
}
if (options.write) writeReport(options.only === undefined ? date : `${date}-${options.only}`)
