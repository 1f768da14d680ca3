/** The rules of ARCHITECTURE.md and CONTRIBUTING.md that `npm run check` does not check. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { describe, it } from 'vitest'
import { FEATURE_PAIRS } from '../../.dependency-cruiser.ts'
import { files, read, SOURCES } from './sources.ts'

/** Returns the pairs that form a circle, or lead from one circle to another. */
function circlesIn(pairs: readonly string[]): readonly string[] {
  const using = new Set(pairs.map((pair) => pair.split(' → ')[0]))
  const left = pairs.filter((pair) => using.has(pair.split(' → ')[1]))
  return left.length === pairs.length ? left : circlesIn(left)
}

describe('architecture', () => {
  it('has no circle of features', () => {
    assert.deepEqual(circlesIn(Object.keys(FEATURE_PAIRS)), [])
  })

  it('has one entry point for every feature', () => {
    const isFeature = (folder: string): boolean => SOURCES.includes(`${folder}/feature.ts`)
    const isInFeature = (folder: string): boolean =>
      folder !== '.' && (isFeature(folder) || isInFeature(path.posix.dirname(folder)))
    const folders = new Set(files('server/features/**/*.ts').map((file) => path.posix.dirname(file)))
    assert.deepEqual(
      [...folders].filter((folder) => !isInFeature(folder)),
      [],
    )
  })

  it('has the same three files in every feature, or a reason why not', () => {
    const THREE = ['feature', 'operations', 'statements']
    const WITHOUT: Readonly<Record<string, string>> = {
      authzen: 'operations statements: asks permissions',
      'comment-data': 'operations statements: list.ts and set.ts, with statements of their own',
      comments: 'operations statements: rooms have them',
      console: 'operations statements: rooms have them',
      findings: 'statements: of credentials, grants and resources',
      live: 'operations: reader.ts and stream.ts; it has no operation',
      permissions: 'operations statements: rooms have them',
      'single-sign-on': 'operations: sign-in.ts, account.ts and config.ts',
      system: 'operations statements: reads nothing',
      'user-access': 'statements: preview, revocation and removal',
      'user-data': 'statements: reading, deletion and erasure',
      webhooks: 'operations statements: rooms have them',
    }
    const folders = SOURCES.filter((file) => /^server\/features\/.*\/feature\.ts$/.test(file)).map(path.posix.dirname)
    const lacking = folders.flatMap((folder) => {
      const missing = THREE.filter((name) => !SOURCES.includes(`${folder}/${name}.ts`)).join(' ')
      return missing === '' ? [] : [[path.posix.basename(folder), missing]]
    })
    const known = Object.entries(WITHOUT).map(([feature, why]) => [feature, why.split(':')[0]])
    assert.deepEqual(lacking.sort(), known.sort())
  })

  it('has at most 25 files in a room', () => {
    const rooms = Object.groupBy(
      files(
        '{bench,cli,components,console,contract,examples,moving,scripts,sdk,server,test,testing}/**/*.{ts,tsx,css,sql}',
      ),
      (file) => path.posix.dirname(file),
    )
    const crowded = Object.entries(rooms).filter(([, inside = []]) => inside.length > 25)
    assert.deepEqual(
      crowded.map(([room]) => room),
      [],
    )
  })

  it('has HTTP codes only in the table of statuses and in http', () => {
    const found = SOURCES.filter((file) => !/^server\/http\/|^contract\/core\/status\.ts$/.test(file)).filter((file) =>
      /\b(?:code|status|statusCode|http)\W{1,3}[2345]\d\d\b/i.test(read(file)),
    )
    assert.deepEqual(found, [])
  })

  it('begins every file with a sentence about it', () => {
    const code = files(
      '{bench,cli,components,contract,examples,moving,scripts,server,test,testing}/**/*.ts',
      'sdk/*.ts',
      'console/{*.ts,src/**/*.{ts,tsx}}',
      '{.dependency-cruiser,vitest.config}.ts',
    )
    const silent = [
      ...code.filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(read(file))),
      ...files('db/migrations/*.sql').filter((file) => !read(file).startsWith('-- ')),
    ]
    assert.deepEqual(silent, [])
  })

  it('pins the dependencies of the examples, and the present version of the client', () => {
    const { version } = JSON.parse(read('sdk/package.json'))
    for (const file of files('examples/*/package.json')) {
      const { dependencies, devDependencies } = JSON.parse(read(file))
      assert.equal(dependencies['@commonhold/client'], version, file)
      for (const pinned of Object.values<string>({ ...dependencies, ...devDependencies }))
        assert.match(pinned, /^\d/, file)
    }
    for (const line of read('examples/fastapi/requirements.txt').trim().split('\n')) assert.match(line, /^[\w-]+==\d/)
  })

  it('pins every dependency and states its purpose in docs/dependencies.md', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
    const text = read('docs/dependencies.md')
    const entries = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
    const faults = entries.filter(([name, version]) => !/^\d/.test(version) || !text.includes(`\`${name}\``))
    assert.deepEqual(faults, [])
  })
})
