/**
 * Makes the store that later versions are upgraded from: `node scripts/make-upgrade-fixture.ts 0.2`, once at each
 * release. It writes `test/fixtures/stores/0.2/`: the store as SQL, and the responses of the server about it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { listeningUrl } from '#http/server.ts'
import { databaseClock } from '#platform/clock.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createLog } from '#platform/log.ts'
import { createClient } from '#testing/client.ts'
import { MASTER_KEY } from '#testing/server.ts'
import { buildApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { ROOT } from './root.ts'
import { dumpOf } from './upgrade-fixture/dump.ts'
import { type Filled, fill } from './upgrade-fixture/fill.ts'
import { ask, type Question, questionsOf } from './upgrade-fixture/questions.ts'

/** The settings that answers depend on. */
const SETTINGS = {
  SIGNUP: 'open',
  REVEAL_SECRETS: 'true',
  PUBLIC_URL: 'http://127.0.0.1',
  EXPIRED_GRANTS_KEPT_DAYS: '0',
}

/** `answers.json` of a fixture. */
export interface Recorded {
  settings: Record<string, string>
  madeAt: string
  callers: Filled['callers']
  answers: (Question & { answer: object })[]
}

export async function makeFixture(folder: string): Promise<void> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'commonhold-fixture-'))
  const db = await openEmbedded(scratch, databaseClock)
  await migrate(db)
  const config = readConfig({ ...SETTINGS, PORT: '0' })
  const app = await buildApp({ config, masterKey: MASTER_KEY, db, log: createLog('error') })
  await app.http.listen({ host: '127.0.0.1', port: 0 })
  const none = createClient(listeningUrl(app.http, '127.0.0.1'))
  const { callers, given } = await fill(none, db)
  const answers: Recorded['answers'] = []
  for (const question of questionsOf(given)) answers.push({ ...question, answer: await ask(none, callers, question) })
  await app.stop()
  const recorded: Recorded = { settings: SETTINGS, madeAt: new Date().toISOString(), callers, answers }
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'store.sql.gz'), gzipSync(await dumpOf(db), { level: 9 }))
  writeFileSync(path.join(folder, 'answers.json'), `${JSON.stringify(recorded, null, 2)}\n`)
  await db.close()
  rmSync(scratch, { recursive: true, force: true })
}

if (import.meta.main) {
  const [version] = process.argv.slice(2)
  if (version === undefined) throw new Error('Name the version: node scripts/make-upgrade-fixture.ts 0.2')
  await makeFixture(path.join(ROOT, 'test/fixtures/stores', version))
}
