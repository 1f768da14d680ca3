/** Whether the run is `npm run test:full`: every death, every package, both engines. */
export const FULL = process.env.TEST_FULL === 'true'

/** A test that takes this long has failed; the slowest take half of it on a busy machine. The soak takes hours. */
export const TEST_TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_MS ?? 120_000)
