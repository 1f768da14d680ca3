/** The PostgreSQL servers that the guide to several databases names: three with its role and database, and an empty database to move to. */
import pg from 'pg'
import { cleanUp } from '#testing/clean-up.ts'
import { startOwnPostgres } from '#testing/run/postgres.ts'

const SETTINGS = { wal_level: 'logical', synchronous_commit: 'on', max_worker_processes: 20 }

/** Runs `statements` as a superuser on each server, as the guide says. */
export async function databasesOfGuide(statements: string): Promise<Record<string, string>> {
  const started = await Promise.all([1, 2, 3].map(() => startOwnPostgres({ fsync: false, settings: SETTINGS })))
  for (const postgres of started) cleanUp(() => postgres.stop())
  const urls: string[] = []
  for (const { url } of started) {
    const client = new pg.Client(url)
    await client.connect()
    for (const one of statements.trim().split(';\n')) await client.query(one)
    await client.query('create database eu owner commonhold')
    // Where the bucket moves to, with PostgreSQL 15.
    if (urls.length === 0) await client.query('alter role commonhold superuser')
    await client.end()
    urls.push(url.replace('postgres@', 'commonhold:secret@').replace(/\/postgres$/, '/commonhold'))
  }
  const [HOME_URL = '', EU_URL = '', US_URL = ''] = urls
  // The move of a key waits for calls under way.
  const REQUEST_TIMEOUT_MS = '3000'
  return { HOME_URL, EU_URL, US_URL, NEW_URL: HOME_URL.replace(/commonhold$/, 'eu'), REQUEST_TIMEOUT_MS }
}
