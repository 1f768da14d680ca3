/**
 * `npm run bench -- --only peers`: compares Commonhold with OpenFGA and SpiceDB, if the environment variables `OPENFGA` and `SPICEDB`
 * name their binaries: the same world, loaded through each interface, on the same PostgreSQL server, under the same load. The systems
 * take turns. Before that, all of them must give the same right answers. `--organizations N` is the size of the world.
 */
import os from 'node:os'
import { startCommonhold } from './peers/commonhold.ts'
import { CHECKS_IN_CALL, measureAll } from './peers/measure.ts'
import { startOpenFga } from './peers/openfga.ts'
import { startSpiceDb } from './peers/spicedb.ts'
import { FACTS_IN_CALL, post, type System } from './peers/system.ts'
import { PeersWorld } from './peers/world.ts'
import { say, sayHead, sayRow } from './support/report.ts'
import { newDatabase, postgresStore } from './support/store.ts'

const LOADING_CONNECTIONS = 16
const COMPARED_ANSWERS = 500

export async function benchPeers(
  databaseUrl: string,
  settings: Record<string, string>,
  { organizations, seconds }: { organizations: number; seconds: number },
): Promise<void> {
  const { OPENFGA: openFga, SPICEDB: spiceDb } = process.env
  if (openFga === undefined && spiceDb === undefined) {
    say('\nSkipped: set OPENFGA, SPICEDB or both to the paths of their binaries to compare with them.')
    return
  }
  const world = new PeersWorld(organizations)
  const systems: System[] = []
  try {
    systems.push(await startCommonhold(settings))
    if (openFga !== undefined) systems.push(await startOpenFga(openFga, await newDatabase(databaseUrl, 'openfga')))
    if (spiceDb !== undefined) systems.push(...(await startSpiceDb(spiceDb, await newDatabase(databaseUrl, 'spicedb'))))
    say('\n## Side by side')
    say(`\n${world.description}. ${await postgresVersion(databaseUrl)}, ${Math.round(os.totalmem() / 2 ** 30)} GiB.\n`)
    for (const { name, settings } of systems) say(`- ${name}: ${settings}.`)
    await loadWorld(systems, world)
    await compareAnswers(systems, world)
    await measureAll(systems, world, { databaseUrl, seconds })
  } finally {
    for (const server of new Set(systems.map(({ server }) => server))) await server.stop()
  }
}

async function postgresVersion(databaseUrl: string): Promise<string> {
  let version = ''
  await postgresStore(databaseUrl)(async (query) => {
    const { rows } = await query('show server_version')
    version = (rows[0] as { server_version: string }).server_version
  })
  return `PostgreSQL ${version}`
}

/** Loads the servers sequentially, the organizations of each concurrently. */
async function loadWorld(systems: readonly System[], world: PeersWorld): Promise<void> {
  say(
    `\nLoading it, ${LOADING_CONNECTIONS} connections, ${FACTS_IN_CALL} grants or relations a call where the interface allows it:`,
  )
  sayHead('system', 'seconds', 'folders, documents and grants/s')
  for (const [system] of Map.groupBy(systems, ({ server }) => server).values()) {
    if (system === undefined) continue
    const began = performance.now()
    let next = 0
    const connection = async () => {
      while (next < world.organizations) for (const call of system.load(world, next++)) await post(system, call)
    }
    await Promise.all(Array.from({ length: LOADING_CONNECTIONS }, connection))
    const spent = (performance.now() - began) / 1000
    sayRow(system.name, spent.toFixed(1), Math.round(world.size / spent))
  }
}

/** Throws if a system gives a wrong answer. */
async function compareAnswers(systems: readonly System[], world: PeersWorld): Promise<void> {
  const singles = Array.from({ length: COMPARED_ANSWERS }, () => world.question())
  const many = world.questions(CHECKS_IN_CALL)
  const asker = world.user()
  for (const system of systems) {
    for (const question of singles) {
      const isAllowed = system.isAllowed(await post(system, system.check(question)))
      if (isAllowed !== world.isAllowed(question)) throw new Error(`${system.name}: ${JSON.stringify(question)}`)
    }
    const answers = system.areAllowed(await post(system, system.checks(many)), CHECKS_IN_CALL)
    if (many.some((question, nth) => answers[nth] !== world.isAllowed(question)))
      throw new Error(`${system.name}: ${JSON.stringify(many)}`)
    const listed = system.listed(await post(system, system.list(asker)))
    if (listed !== world.openTo(asker.user))
      throw new Error(`${system.name} lists ${listed} documents instead of ${world.openTo(asker.user)}`)
  }
  say(`\nAll gave the same, right answers to ${COMPARED_ANSWERS + CHECKS_IN_CALL} checks and a list.`)
}
