/** Checks the Helm chart without Helm; chart-rendering.test.ts renders it. */
import assert from 'node:assert/strict'
import { Compile } from 'typebox/schema'
import { describe, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../server/config.ts'
import { SETTINGS } from '../../server/settings.ts'
import { files, read } from './sources.ts'

const CHART = 'deploy/helm/commonhold'
const chart = parse(read(`${CHART}/Chart.yaml`))
const values = parse(read(`${CHART}/values.yaml`))
const schema = JSON.parse(read(`${CHART}/values.schema.json`))
const { version } = JSON.parse(read('package.json'))

/** Settings for the image and the tests, which the chart does not offer. */
const NOT_OFFERED = ['CLOCK', 'DATA_DIR', 'HOST', 'PORT']

/** Returns the paths of all values, such as `image.tag`; a path with no defaults inside stands for its contents. */
const pathsOf = (value: unknown, at: string[] = []): string[] =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...at, name]))
    : [at.join('.')]

describe('deploy/helm/commonhold', () => {
  it('has the version of the server', () => {
    assert.deepEqual([chart.apiVersion, chart.version, chart.appVersion], ['v2', version, version])
    assert.match(
      read(`${CHART}/README.md`),
      new RegExp(`registry\\.example\\.com/commonhold:${version.replaceAll('.', '\\.')} `),
    )
  })

  it('trusts no proxy by default: any pod of the cluster could name the address of a caller', () => {
    assert.equal(values.settings.TRUST_PROXY, '')
    assert.equal(readConfig({ TRUST_PROXY: values.settings.TRUST_PROXY }).TRUST_PROXY, undefined)
  })

  it('accepts its defaults, and refuses unknown values and values of another type', () => {
    const accepted = Compile(schema)
    const isAccepted = (given: unknown): boolean => accepted.Check(given)
    assert.ok(isAccepted(values))
    const wrong: object[] = [
      { replicas: 3 },
      { replicaCount: '3' },
      { image: { repository: 'registry.example.com/commonhold:0.1.0' } },
      { settings: { STOP_DELAY_SECONDS: 10 } },
      { settings: { PUBLIC_URL: 'https://commonhold.example.com/api' } },
      { settings: { MASTER_KEY: 'not a plain setting' } },
      { secrets: { MASTER_KEY: 'too short' } },
      { ingress: { enabled: 'yes' } },
    ]
    for (const value of wrong) assert.equal(isAccepted({ ...values, ...value }), false, JSON.stringify(value))
  })

  it('offers every setting once: as a secret or in plain text', () => {
    const { settings, secrets } = schema.properties
    const offered = [...Object.keys(settings.properties), ...Object.keys(secrets.properties)]
    const ofTheServer = Object.keys(SETTINGS).filter((name) => !name.startsWith('OTEL_'))
    assert.deepEqual(
      [...offered, ...NOT_OFFERED].filter((name) => !name.startsWith('OTEL_')).sort(),
      ofTheServer.sort(),
    )
    for (const name of Object.keys(SETTINGS).filter((name) => name.startsWith('OTEL_')))
      assert.match(name, new RegExp(Object.keys(settings.patternProperties)[0] ?? '^$'))
  })

  it('explains every value in its README', () => {
    const documented = [...read(`${CHART}/README.md`).matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name),
    )
    const undocumented = pathsOf(values).filter(
      (path) => !documented.some((name) => path === name || path.startsWith(`${name}.`)),
    )
    assert.deepEqual(undocumented, [])
    const known = Object.keys(schema.properties)
    assert.deepEqual(
      documented.filter((name) => !known.includes(name.split('.')[0] ?? '')),
      [],
    )
  })

  it('reads only values that the schema has', () => {
    const found = new Set(
      files(`${CHART}/templates/*`).flatMap((file) =>
        [...read(file).matchAll(/\.Values\.([A-Za-z_]+(?:\.[A-Za-z_]+)*)/g)].map(([, name = '']) => name),
      ),
    )
    assert.ok(found.size > 20)
    for (const name of found) {
      const inner = name.split('.').reduce((part, step) => part?.properties?.[step], schema)
      assert.notEqual(inner, undefined, `a template reads ${name}`)
    }
  })
})
