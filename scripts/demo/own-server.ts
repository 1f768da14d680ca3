/** A server of its own for the demo, whose clock starts three months ago and moves on to today while the demo is made. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { databaseClock } from '#platform/clock.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import { becomeServer, startDevServer } from '../../cli/connection/server-process.ts'
import type { GoTo } from './fill.ts'
import { makeDemo } from './make-demo.ts'
import type { Demo } from './workspace.ts'

const DAY_MS = 86_400_000

export type Credentials = Omit<Demo, 'client'>

/** Returns the credentials of the demo in `folder`, and creates the demo if there is none. An interrupted attempt does not count. */
export async function makeOwnDemo(folder: string, say: (done: string) => void): Promise<Credentials> {
  const file = path.join(folder, 'demo.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  const now = Date.now()
  const at = (days: number) => new Date(now + days * DAY_MS).toISOString()
  const settings = { DATA_DIR: folder, LOG_LEVEL: 'error', SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0', CLOCK: at(-88) }
  const server = await startDevServer(settings, folder)
  const stretches: Stretch[] = []
  const goTo: GoTo = async (days) => {
    await server.setClock(at(days))
    stretches.push({ from: new Date(), days })
  }
  let credentials: Credentials
  try {
    const { client: _, ...made } = await makeDemo({ url: server.url }, say, goTo)
    credentials = made
    await goTo(0)
  } finally {
    await server.stop()
  }
  await backdate(folder, stretches)
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 })
  return credentials
}

/** From this moment on, the server recorded what happens this many days from now. */
interface Stretch {
  from: Date
  days: number
}

/** Events have the time of the database, whatever the server's clock says, so only a person with access to the data can backdate them. */
async function backdate(folder: string, stretches: readonly Stretch[]): Promise<void> {
  const db = await openEmbedded(folder, databaseClock)
  try {
    for (const [index, { from, days }] of stretches.entries())
      await db.query(
        `update events set changed_at = changed_at + $3::int * interval '1 day'
          where changed_at >= $1::timestamptz and changed_at < coalesce($2::timestamptz, 'infinity')`,
        [from, stretches[index + 1]?.from ?? null, days],
      )
  } finally {
    await db.close()
  }
}

/** Serves the folder in this process; does not return. */
export async function serveDemo(folder: string): Promise<void> {
  process.env.DATA_DIR = folder
  delete process.env.DATABASE_URL
  process.exitCode = await becomeServer([])
}
