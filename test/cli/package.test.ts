/** The published package of the command line and the server: packed, installed into an empty folder, and run there. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, it } from 'vitest'
import { eventually, until } from '#testing/eventually.ts'
import { isShown, lasting, printedBy, stepsOf } from '#testing/pages/shell.ts'
import { startCli } from '#testing/processes/cli.ts'
import { freePort } from '#testing/processes/free-port.ts'
import { installPackage } from '#testing/processes/package.ts'
import { startScript, temporaryFolder } from '#testing/processes/process.ts'
import { startReceiver } from '#testing/stand-ins/receiver.ts'
import { ROOT } from '../../scripts/root.ts'

/** The bound, as a multiple of the time of an empty server and the program that calls it. */
const FLOORS_MAX = 20
const run = promisify(execFile)

const { project, env } = await installPackage()
afterAll(() => rmSync(project, { recursive: true, force: true }))
const inProject = (command: string, ...args: string[]) => run(command, args, { cwd: project, env })
const installed = path.join(project, 'node_modules/commonhold')

describe('the package', () => {
  it('has the version of the checkout, no dependencies, and no TypeScript', () => {
    const its = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
    assert.equal(its.version, JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version)
    assert.equal(its.dependencies, undefined)
    assert.deepEqual(
      readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['commonhold'],
    )
    assert.deepEqual(
      readdirSync(installed, { recursive: true }).filter((name) => String(name).endsWith('.ts')),
      [],
    )
  })

  it('runs as npx commonhold', async () => {
    const { stdout } = await inProject('npx', 'commonhold', '--version')
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
    const described = await inProject('npx', 'commonhold', 'call', 'permissions.add', '--describe')
    assert.match(described.stdout, /POST \/v2\/auth\/permissions\/add/)
  })

  it('runs as commonhold if it is installed for the machine, as docs/guides/use-the-command-line.md says', async () => {
    const global = path.join(project, 'global')
    const [packed = ''] = globSync('commonhold-*.tgz', { cwd: project })
    await inProject('npm', 'install', '--global', '--prefix', global, `./${packed}`)
    const { stdout } = await inProject(path.join(global, 'bin/commonhold'), '--version')
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  })

  it('serves on the embedded engine, with the console and the API description, and stops on a signal', async () => {
    const main = path.join(project, 'node_modules/.bin/commonhold')
    const settings = { PORT: '0', LOG_LEVEL: 'info', DATA_DIR: path.join(project, 'data') }
    const server = startScript(main, settings, ['serve'])
    const url = await bannerOf(server.output)
    await until('ready', async () => (await fetch(`${url}/readyz`)).status === 200)
    assert.equal((await fetch(`${url}/openapi.json`)).status, 200)
    assert.match(await (await fetch(`${url}/reference/`)).text(), /<html/)
    const authorization = `Bearer ${readFileSync(path.join(settings.DATA_DIR, 'operator.token'), 'utf8').trim()}`
    assert.match(
      await (await fetch(`${url}/metrics`, { headers: { authorization } })).text(),
      /^process_cpu_seconds_total /m,
    )
    const HOME = temporaryFolder()
    const { ended } = startCli(
      ['workspace', 'create', 'ada@example.com'],
      { HOME, COMMONHOLD_URL: url, DATA_DIR: settings.DATA_DIR },
      main,
    )
    assert.equal((await ended).code, 0)
    const { code } = await server.kill('SIGTERM')
    assert.equal(code, 0)
    const again = await startScript(main, { DATA_DIR: path.join(project, 'data') }, ['migrate-db']).exited
    assert.deepEqual([again.code, again.stdout.trimEnd().split('\n').at(-1)], [0, 'The schema is up to date.'])
  })

  it('sends traces to the configured collector', async () => {
    const collector = await startReceiver()
    const OTEL_EXPORTER_OTLP_ENDPOINT = new URL('/', collector.url).href
    const main = path.join(project, 'node_modules/.bin/commonhold')
    const settings = { PORT: '0', DATA_DIR: path.join(project, 'traced'), OTEL_EXPORTER_OTLP_ENDPOINT }
    const server = startScript(main, settings, ['serve'])
    await fetch(`${await bannerOf(server.output)}/v2/organizations/get`, { method: 'POST' })
    await server.kill('SIGTERM') // exports its spans
    assert.ok(collector.received.some(({ path }) => path === '/v1/traces'))
    collector.close()
  })

  it('reports the required version of Node if it is too old', async () => {
    const old = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '20.19.0' } })`
    const { code, stderr, stdout } = await startScript('--import', {}, [old, path.join(installed, 'cli.js'), 'serve'])
      .exited
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(
      stderr,
      /^commonhold needs Node 26 or later; this is 20\.19\.0\. .* use `npx commonhold` there, or put .*\n$/,
    )
  })

  it(`has a server for a command in less than ${FLOORS_MAX} times what a bare one takes`, async (t) => {
    const main = path.join(project, 'node_modules/.bin/commonhold')
    const ask = `fetch(process.env.COMMONHOLD_URL + '/readyz').then(({ status }) => console.log(status, Date.now()))`
    const bare = `require('node:http').createServer((_, answer) => answer.end()).listen(0, '127.0.0.1', function () {
      const COMMONHOLD_URL = 'http://127.0.0.1:' + this.address().port
      const env = { ...process.env, COMMONHOLD_URL }
      require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(ask)}], { env, stdio: 'inherit' })
        .on('exit', () => process.exit())
    })`
    const msToAnswer = async (...[command, ...args]: [string, ...string[]]): Promise<number> => {
      const started = Date.now()
      const [status, answered = 0] = (await inProject(command, ...args)).stdout.trim().split(' ').map(Number)
      assert.equal(status, 200)
      return answered - started
    }
    const took: number[] = []
    const floors: number[] = []
    for (let time = 0; time < 3; time++) {
      floors.push(await msToAnswer(process.execPath, '-e', bare))
      took.push(await msToAnswer(main, 'dev', '--', process.execPath, '-e', ask))
    }
    t.annotate(`${took} ms, a bare server ${floors} ms`)
    assert.ok(Math.min(...took) < FLOORS_MAX * Math.min(...floors), `${took} ms, bare ${floors} ms`)
  })
})

describe('the first five minutes', async () => {
  const port = await freePort()
  const page = readFileSync(path.join(ROOT, 'docs/first-five-minutes.md'), 'utf8')
  // The first command gets the address, and the profile keeps it for the later ones.
  const steps = stepsOf(page.replace('workspace create', `workspace create --url http://127.0.0.1:${port}`))
  const printed = await printedBy(steps, { cwd: project, env: { ...env, PORT: String(port) } })

  it('run to the end', () => assert.equal(printed.length - 1, steps.length, printed.at(-1) ?? ''))

  for (const [index, { commands, shown }] of steps.entries())
    it(`print what the page shows: ${commands.split('\n', 1)[0]}`, () => {
      assert.ok(isShown(printed[index] ?? '', lasting(shown)), `${printed[index]}\nis not\n${shown}`)
    })

  it('show no secret', () => assert.doesNotMatch(page, /ch[kwt]_(?:test_|live_)?\w{20}/))
})

const bannerOf = (output: { stderr: string }): Promise<string> =>
  eventually('banner', () => /API +(\S+)\/v2/.exec(output.stderr)?.[1])
