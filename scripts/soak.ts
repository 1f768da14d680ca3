/** The long proof: 10,000 random worlds (or `WORLDS`) on each engine, and as many shared statements as go with them. Arguments go to the test runner. */
process.env.WORLDS ??= '10000'
process.argv.push('matrix/worlds', 'concurrency/serial-order')
await import('../test/run.ts')
