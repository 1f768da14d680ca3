/**
 * The files that deploy/Dockerfile puts into an image are enough: a read-only copy of only those files and packages
 * migrates, serves and stops. The test needs no container engine, and does not test one.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { DockerfileParser } from 'dockerfile-ast'
import { describe, test } from 'vitest'
import { getOrganizations } from '#contract/resources/organizations.ts'
import { templateFolder } from '#platform/db/template.ts'
import { createClient } from '#testing/client.ts'
import { until } from '#testing/eventually.ts'
import { createLastingStore, temporaryFolder } from '#testing/processes/process.ts'
import { serverUser } from '#testing/run/postgres.ts'
import { ROOT } from '../../scripts/root.ts'

const instructions = DockerfileParser.parse(
  readFileSync(path.join(ROOT, 'deploy/Dockerfile'), 'utf8'),
).getInstructions()
const argumentsOf = (keyword: string) =>
  instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? '')
const [entrypoint = ''] = argumentsOf('ENTRYPOINT')
const [, ...COMMAND]: string[] = JSON.parse(entrypoint)
const [, health = ''] = /CMD\s+(.*)$/s.exec(argumentsOf('HEALTHCHECK')[0] ?? '') ?? []
const [, ...HEALTH]: string[] = JSON.parse(health)

/** Packages that `npm ci --omit=dev --omit=optional` installs. */
function packages(): string[] {
  const lock: { packages: Record<string, { dev?: true; optional?: true; devOptional?: true }> } = JSON.parse(
    readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'),
  )
  return Object.entries(lock.packages).flatMap(([name, { dev, optional, devOptional }]) =>
    /^node_modules\/(?!.*\/node_modules\/)/.test(name) && !dev && !optional && !devOptional ? [name] : [],
  )
}

/** Returns the path to which `COPY` copies a file or folder: into a target that ends with a slash, otherwise under the target's name. */
const placeOf = (source: string, target: string): string =>
  target.endsWith('/') ? path.join(target, path.basename(source)) : target

/** Creates the folder `/app` of the image. The built files are copied from here, where the same commands built them. */
function buildApp(): string {
  const app = path.join(temporaryFolder(), 'app')
  for (const copy of argumentsOf('COPY').map((content) => content.split(' '))) {
    const target = copy.pop() ?? ''
    for (const source of copy.filter((name) => !name.startsWith('/')))
      cpSync(path.join(ROOT, source), path.join(app, placeOf(source, target)), {
        recursive: true,
        filter: (file) => !file.endsWith('.test.ts'),
      })
  }
  for (const name of packages()) {
    mkdirSync(path.dirname(path.join(app, name)), { recursive: true })
    symlinkSync(path.join(ROOT, name), path.join(app, name))
  }
  execFileSync('chmod', ['-R', 'a+rX,a-w', app])
  const template = path.relative(ROOT, templateFolder())
  chmodSync(path.join(app, 'node_modules'), 0o755)
  cpSync(path.join(ROOT, template), path.join(app, template), { recursive: true })
  execFileSync('chmod', ['-R', 'a+rX', path.join(app, 'node_modules/.cache')])
  chmodSync(path.dirname(app), 0o755)
  return app
}

/** Returns the instructions of the stage that builds the console. */
function consoleStage() {
  const from = instructions.findIndex((one) => one.getArgumentsContent()?.endsWith(' AS console'))
  const length = instructions.slice(from + 1).findIndex((one) => one.getKeyword() === 'FROM')
  return instructions
    .slice(from, from + 1 + length)
    .map((one) => ({ keyword: one.getKeyword(), content: one.getArgumentsContent() ?? '' }))
}

const filesOf = (app: string) => readdirSync(app, { recursive: true }).map(String).sort()

describe('the stage that builds the console', () => {
  const stage = consoleStage()
  const runs = stage.filter(({ keyword }) => keyword === 'RUN').map(({ content }) => content)

  test('builds it from the files that it copies, all of which are in the context', () => {
    const app = path.join(temporaryFolder(), 'app')
    const context = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').split('\n')
    for (const { content } of stage.filter(({ keyword }) => keyword === 'COPY')) {
      const sources = content.split(' ')
      const target = sources.pop() ?? ''
      for (const source of sources) {
        assert.ok(context.includes(`!${source}`), source)
        cpSync(path.join(ROOT, source), path.join(app, placeOf(source, target)), {
          recursive: true,
          filter: (file) => !/\.test\.ts$|\/dist$/.test(file),
        })
      }
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(app, 'node_modules'))
    for (const command of runs.at(-1)?.split(' && ') ?? []) {
      const [program = '', ...args] = command.split(' ')
      assert.equal(program, 'node')
      execFileSync(process.execPath, args, { cwd: app, env: { NODE_ENV: 'production' }, stdio: 'pipe' })
    }
    const built = readdirSync(path.join(app, 'console/dist'))
    for (const file of ['index.html', 'commonhold-client.tgz']) assert.ok(built.includes(file), file)
    assert.ok(existsSync(path.join(app, 'site/dist/guides/use-the-client.html')))
  })

  test('installs optional packages, because the bundler is in one for each platform', () => {
    const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'))
    assert.ok('@rolldown/binding-linux-x64-gnu' in lock.packages['node_modules/rolldown'].optionalDependencies)
    assert.match(runs[0] ?? '', /^npm ci /)
    assert.doesNotMatch(runs[0] ?? '', /--omit/)
  })
})

describe('the files of the image', () => {
  test('migrate, serve, are alive for the health check, stop, and leave nothing behind', async () => {
    const user = serverUser()
    const app = buildApp()
    const { settings } = await createLastingStore()
    const PORT = String(20_000 + Math.floor(Math.random() * 12_000))
    const env = { PORT, SIGNUP: 'open', RATE_LIMIT_PUBLIC: '0', ...settings }
    if (user !== undefined && settings.DATA_DIR !== undefined) chownSync(settings.DATA_DIR, user.uid, user.gid)
    const run = (args: readonly string[], more: readonly string[] = []) =>
      spawn(process.execPath, [...args, ...more], { cwd: app, env, ...user, stdio: ['ignore', 'pipe', 'pipe'] })

    const before = filesOf(app)
    const migration = run(COMMAND, ['migrate'])
    const [stdout, stderr] = await Promise.all([text(migration.stdout), text(migration.stderr)])
    assert.equal(stderr, '')
    assert.match(stdout, /The schema is up to date\.\n$/)

    const server = run(COMMAND)
    const ended = once(server, 'exit')
    const output = Promise.all([text(server.stdout), text(server.stderr)])
    try {
      const healthy = async () => (await once(run(HEALTH), 'exit'))[0] === 0
      const ready = async () => (await fetch(`http://127.0.0.1:${PORT}/readyz`).catch(() => undefined))?.ok === true
      // A server that is alive is not ready yet.
      for (const [name, holds] of Object.entries({ healthy, ready }))
        await until(name, async () => {
          const ended = server.exitCode ?? server.signalCode
          if (ended !== null) assert.fail(`not ${name}: ${ended} ${(await output).join('')}`)
          return holds()
        })
      const key = await createClient(`http://127.0.0.1:${PORT}`).newKey()
      await key.call(getOrganizations, {})
    } finally {
      server.kill('SIGTERM')
    }
    assert.deepEqual(await ended, [0, null])
    assert.notEqual((await once(run(HEALTH), 'exit'))[0], 0)
    assert.deepEqual(filesOf(app), before)
    execFileSync('chmod', ['-R', 'u+w', app]) // so that it can be removed
  })
})
