/** An API key that moves between the home database and a bucket on another server, under load, with two processes that serve it. */
import assert from 'node:assert/strict'
import type { Client } from '#testing/client.ts'
import { type Settings, startProcess } from '#testing/processes/process.ts'
import { apiKeyOf } from '../../conformance/support/callers.ts'
import {
  emptyDatabase,
  report,
  runCommand,
  SHORT_CALLS,
  settingsOf,
  spendNumbers,
  startBucketPostgres,
} from '../bucket-world.ts'
import { FeedReader, readFeed } from './feed-reader.ts'
import { Load } from './load.ts'

/** Starts both servers and both processes, and creates the key at home. The bucket `eu1` takes no new keys. */
export async function startMovingKey(settings: Settings = {}) {
  const [one, other] = await Promise.all([startBucketPostgres(), startBucketPostgres()])
  // The counter of the bucket's server is behind, so that a move has to raise it.
  await spendNumbers(one.url, 30_000)
  const [home, bucket] = [await emptyDatabase(one, 'home'), await emptyDatabase(other, 'bucket')]
  const ofServers = { ...settingsOf(home), ...SHORT_CALLS, ...settings }
  const first = await startProcess(ofServers)
  const key = await first.client.newKey({ defaultDocumentAccessType: 'restricted' })
  await runCommand(home, 'create', 'eu1', '--url', bucket)
  await runCommand(home, 'set', 'eu1', '--takes-keys', 'no')
  const second = await startProcess(ofServers)
  return { home, bucket, key, apiKey: apiKeyOf(key), clients: [key, second.client.with(key.headers)] as const }
}

/** Starts changes, checks and a reader of the feed, through both processes. */
export function startLoad(clients: readonly [Client, Client]) {
  const reader = new FeedReader(clients)
  const load = new Load(clients, 4)
  const nothingWrong = (after?: string) => assert.deepEqual([...load.wrong, ...reader.wrong], [], after ?? 'at the end')
  return {
    load,
    nothingWrong,
    /**
     * Stops the load, and asserts that no acknowledged change is lost and that the reader got every event. Returns the
     * ids of the events.
     */
    async finish(): Promise<string[]> {
      await load.stop()
      const verified = await load.verify(clients[0])
      const events = await readFeed(clients[0])
      await reader.stopAfter(events)
      nothingWrong()
      assert.equal(reader.restarts, 0, 'a page token was refused')
      report(
        `${load.acknowledged} acknowledged, ${load.refused} refused, ${verified} verified, ${events.length} events`,
      )
      return events
    },
  }
}
