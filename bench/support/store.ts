/** Direct access to the database of a benchmark, which fills it faster than the API; no server may have it open. */
import pg from 'pg'
import { databaseClock } from '#platform/clock.ts'
import { openEmbedded } from '#platform/db/embedded.ts'
import type { Query } from './world.ts'

type Store = (work: (query: Query) => Promise<void>) => Promise<void>

export const postgresStore =
  (databaseUrl: string): Store =>
  async (work) => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    await work((text, values) => client.query(text, values))
    await client.end()
  }

/** Creates an empty database on the same server, and returns its URL. */
export async function newDatabase(databaseUrl: string, name: string): Promise<string> {
  await postgresStore(databaseUrl)(async (query) => {
    await query(`create database ${name}`)
  })
  const url = new URL(databaseUrl)
  url.pathname = `/${name}`
  return url.href
}

export const embeddedStore =
  (folder: string): Store =>
  async (work) => {
    const db = await openEmbedded(folder, databaseClock)
    await work((text, values) => db.query(text, values))
    await db.close()
  }
