/**
 * Runs the randomized tests for hours on each engine: 10,000 random worlds (`WORLDS`), 100,000 rounds of revocations
 * (`ROUNDS`), and 50 kills (`KILLS`) of servers that write grants and send webhooks. Arguments are passed to the test
 * runner, such as `--engine postgres`; a part of a file name runs those tests only.
 */
const PARTS = [
  'matrix/worlds',
  'concurrency/stale-allows',
  'concurrency/serial-order',
  'crash/grants',
  'crash/webhooks',
]

process.env.WORLDS ??= '10000'
process.env.ROUNDS ??= '100000'
process.env.KILLS ??= '50'
process.env.WEBHOOK_EVENTS ??= '10000'
process.env.WEBHOOK_KILLS ??= '50'
process.env.FILE_TIMEOUT_MS ??= String(6 * 60 * 60 * 1000)
const names = process.argv.slice(2).filter((argument) => !/^(--engine|embedded|postgres)$/.test(argument))
if (names.length === 0) process.argv.push(...PARTS)
await import('../test/run.ts')
