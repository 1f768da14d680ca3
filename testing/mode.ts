/** Whether the run is `npm run test:full`: every death, every package, both engines. */
export const FULL = process.env.TEST_FULL === 'true'
