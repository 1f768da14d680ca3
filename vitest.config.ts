/** How the tests run (ADR 0026): long-lived workers, each with one module graph and one server that its files share. */
import { defineConfig } from 'vitest/config'

/** A test that takes this long has failed; the slowest take half of it on a busy machine. The soak takes hours. */
const TEST_TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_MS ?? 120_000)

const FILES = ['{contract,server,test}/**/*.test.ts']

/** Files that need no database, or open their own. */
const WITHOUT_DATABASE = [
  'contract/**/*.test.ts',
  'server/*.test.ts',
  '{server/http,server/platform,test/repository}/**/*.test.ts',
  'test/cli/{command-table,completion,dev,package,profiles,terminal}.test.ts',
  'test/sdk/{retries,test-server,types,usage-errors,webhooks}.test.ts',
  'test/console/long-lists.test.ts',
]

/** PostgreSQL proves behaviour. The embedded engine proves itself: these files run on both. */
const ON_BOTH_ENGINES = [
  'test/lifecycle/{start,stop,schema,values,jobs}.test.ts',
  'test/matrix/{worlds,plans,examples}.test.ts',
  'test/conformance/{events,isolation,system}.test.ts',
  'test/crash/grants.test.ts',
  'test/moving/round-trip.test.ts',
  'test/concurrency/{ambient-transaction,locked-organization}.test.ts',
]

/** `--mode full` runs on both engines whatever has a database, and the longer versions of tests that have one. */
export default defineConfig(({ mode }) => {
  const project = (name: string, include: string[], exclude: string[] = []) => ({
    extends: true as const,
    test: { name, include, exclude, env: { TEST_ENGINE: name, ...(mode === 'full' ? { TEST_FULL: 'true' } : {}) } },
  })
  return {
    test: {
      watch: false,
      globalSetup: 'testing/global-setup.ts',
      setupFiles: 'testing/setup.ts',
      reporters: ['default', './testing/reporter.ts'],
      pool: 'forks' as const,
      isolate: false,
      maxWorkers: Number(process.env.TEST_WORKERS ?? 3),
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: TEST_TIMEOUT_MS,
      teardownTimeout: 20_000,
      // Node runs the files itself, as it runs the server.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      projects: [
        project('none', WITHOUT_DATABASE),
        project('embedded', mode === 'full' ? FILES : ON_BOTH_ENGINES, mode === 'full' ? WITHOUT_DATABASE : []),
        project('postgres', FILES, WITHOUT_DATABASE),
      ],
    },
  }
})
