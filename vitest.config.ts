/** How the tests run (ADR 0026): long-lived workers, each with one module graph and one server that its files share. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { WaitingAmongComputing } from './testing/run/file-order.ts'
import { TEST_TIMEOUT_MS } from './testing/run/mode.ts'

/** The workers inherit it: without the cache, each of them strips the types of a thousand files again. */
process.env.NODE_COMPILE_CACHE ??= path.join(import.meta.dirname, 'node_modules/.cache/commonhold/compiled')

/** One more than a small machine has cores, because many files wait. Each has a server, a module graph and compiled code of its own. */
const WORKERS = 3

/** Of the tests of a file that are concurrent: they wait most of their time. */
const AT_ONCE = 20

const FILES = ['{contract,server,test}/**/*.test.ts']

/** Files that need no database, or open their own. */
const WITHOUT_DATABASE = [
  'contract/**/*.test.ts',
  'server/*.test.ts',
  '{server/http,server/platform,test/repository}/**/*.test.ts',
  'test/components/{html-text,late-reads,quotes,tokens}.test.ts',
  'test/cli/{checkout,command-table,completion,dev,package,profiles,terminal}.test.ts',
  'test/sdk/{csv-rows,event-sentences,retries,test-server,types,usage-errors,webhooks}.test.ts',
  'test/readme/{own-demo,page-blocks}.test.ts',
  'test/console/{views/event-days,frame/long-lists,frame/concerns}.test.ts',
]

/** PostgreSQL proves behaviour. The embedded engine proves itself: these files run on both. */
const ON_BOTH_ENGINES = [
  'test/lifecycle/{commenters,full-disk,operator-token,start,stop,schema,upgrade,values}.test.ts',
  'test/matrix/worlds.test.ts',
  'test/crash/grants.test.ts',
  'test/concurrency/{ambient-transaction,locked-organization}.test.ts',
]

/**
 * Files that build and install packages, generate clients, build Helm, start a process for each test, interrupt imports,
 * restore backups, wait for leases of killed processes, let everything fail at random, compare the past after every change,
 * test the random worlds with mutants, or go deeper into the console than signing in, finding resources, changing access and
 * asking why, and deeper into the web components than commenting.
 */
const FULL_ALONE = [
  'test/cli/{bad-input,dev,events-export,live,mcp-limits,mcp-refusals,package}.test.ts',
  'test/sdk/{access-history,other-languages,package,test-server}.test.ts',
  'test/components/{drafts,hostile,kept-drafts,keyboard,live,other-tokens,package,server-rendered,sharing}.test.ts',
  'test/examples/{comments,express,fastapi,go,nextjs}.test.ts',
  'test/lifecycle/{image,pgbouncer,primary-changes,rolling,traces,upgrade-fixture}.test.ts',
  'test/moving/{interruptions,memory,streams}.test.ts',
  'test/console/*/{access-conflicts,access-groups,access-inside,access-review,blank-names,device,disabled-while-open,events,everyday-tasks,findings,first-visit,giving-access,groups,invitations,keys,leavers,legible,lists-by-name,live,login-links,look,matrix,migrations,missing-organizations,organizations,outage,overview,palette,people,pressed-twice,reference,refusals,shell,single-sign-on,site,users,views,webhooks,workspace-tokens}.test.ts',
  'test/buckets/{citus/lost-nodes,citus/moves,dead-node,faulty-moves,held-key-moves,held-moves,key-kills,key-moves,killed-commands,kills,vacuumed-key-moves,versions}.test.ts',
  'test/crash/{comment-mails,failover,findings-mails,live,mails,storms,takeover,usage}.test.ts',
  'test/{matrix,recipients}/{mutants,hidden-mutants,channel-mutants}.test.ts',
  'test/readme/{back-up-and-restore,moving,own-demo,proxies}.test.ts',
  'test/repository/{chart-rendering,release,workflow-lint}.test.ts',
]

/** Files that learn nothing on the embedded engine: its transactions run sequentially, every view is opened once, and examples only check. */
const POSTGRES_ALONE = [
  'test/buckets/**/*.test.ts',
  'test/examples/*.test.ts',
  'test/console/**/!(views).test.ts',
  'test/components/*.test.ts',
  'test/lifecycle/{pgbouncer,databases/*}.test.ts',
  'test/readme/{moving,pages,proxies}.test.ts',
  'test/concurrency/!(ambient-transaction|locked-organization).test.ts',
]

/** What `--mode buckets` runs: behaviour that callers see. */
const IN_BUCKETS = [
  'server/features/**/*.test.ts',
  'test/{buckets,commenters,concurrency,conformance,matrix,moving,neighbours,recipients,sdk}/**/*.test.ts',
]

/**
 * Disables the optimizing compiler of WebAssembly where embedded engines run only for seconds, as in the processes of servers.
 * The full run uses each for minutes.
 */
const SHORT_LIVED = ['--liftoff-only']
const withEngine = (project: string): boolean => project !== 'postgres'

/** Premises of one database: metrics are of one (`test/buckets/callers` reads those of a bucket), and examples have the numbers of its events. */
const NOT_IN_BUCKETS = ['test/conformance/{examples,metrics}.test.ts']

/**
 * `--mode full` runs everything: both engines, every death, the packages. `--mode buckets` runs behaviour with all API keys in buckets,
 * which are on three PostgreSQL servers (ADR 0066).
 */
export default defineConfig(({ mode }) => {
  const full = mode === 'full'
  const buckets = mode === 'buckets'
  if (buckets) process.env.TEST_BUCKETS = 'true'
  const project = (name: string, include: string[], exclude: string[] = []) => ({
    extends: true as const,
    test: {
      name,
      include,
      exclude: full ? exclude : [...exclude, ...FULL_ALONE],
      env: { TEST_ENGINE: name, TEST_FULL: String(full) },
      ...(withEngine(name) && !full && { execArgv: SHORT_LIVED }),
    },
  })
  return {
    test: {
      watch: false,
      globalSetup: 'testing/run/global-setup.ts',
      setupFiles: 'testing/run/setup.ts',
      reporters: ['default', './testing/run/reporter.ts'],
      pool: 'forks' as const,
      isolate: false,
      maxWorkers: WORKERS,
      maxConcurrency: AT_ONCE,
      sequence: { sequencer: WaitingAmongComputing },
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: TEST_TIMEOUT_MS,
      teardownTimeout: 20_000,
      // Node runs the files itself, as it runs the server.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      projects: buckets
        ? [project('postgres', IN_BUCKETS, [...WITHOUT_DATABASE, ...NOT_IN_BUCKETS])]
        : [
            project('postgres', FILES, WITHOUT_DATABASE),
            project('none', WITHOUT_DATABASE),
            full
              ? project('embedded', FILES, [...WITHOUT_DATABASE, ...POSTGRES_ALONE])
              : project('embedded', ON_BOTH_ENGINES),
          ],
    },
  }
})
