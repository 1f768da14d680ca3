/** Helm lints and renders the chart, and the result is valid for Kubernetes. Go builds Helm; without it the tests are skipped. */
import assert from 'node:assert/strict'
import { beforeAll, describe, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../server/config.ts'
import { SETTINGS } from '../../server/settings.ts'
import { CHART, helmIn, INSTALL_TIMEOUT_MS, installHelm, type KubernetesObject, render, valuesFile } from './helm.ts'
import { read } from './sources.ts'

beforeAll(installHelm, INSTALL_TIMEOUT_MS)

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

/** The values that everybody must set. */
const REQUIRED = {
  image: { repository: 'registry.example.com/commonhold' },
  existingSecret: 'commonhold',
  settings: { PUBLIC_URL: 'https://commonhold.example.com' },
}
const SECRETS = {
  DATABASE_URL: 'postgres://commonhold:secret@postgres.example.com:5432/commonhold',
  MASTER_KEY,
  METRICS_TOKEN: 'a-token-of-more-than-16-characters',
}
const WITH_SECRETS = { ...REQUIRED, existingSecret: '', secrets: SECRETS }

const refusal = (rendered: Promise<unknown>): Promise<string> =>
  rendered.then(
    () => assert.fail('it was rendered'),
    (error: { stderr?: string }) => error.stderr ?? String(error),
  )

const containerOf = (object: KubernetesObject) => object.spec.template.spec.containers[0]

describe('the chart', () => {
  it('passes the strict lint of Helm, with its defaults and with every option', async (context) => {
    const options = 'ingress.enabled=true,autoscaling.enabled=true,serviceMonitor.enabled=true'
    for (const values of [[], ['--values', valuesFile(WITH_SECRETS), '--set', options]])
      assert.match(
        await helmIn(context)('lint', '--strict', CHART, ...values),
        /1 chart\(s\) linted, 0 chart\(s\) failed/,
      )
  })

  it('renders servers, their service and budget, and the job, of this version and without privileges', async (context) => {
    const rendered = await render(context, REQUIRED)
    assert.deepEqual([...rendered.keys()].sort(), [
      'Deployment commonhold',
      'Job commonhold-migrate',
      'PodDisruptionBudget commonhold',
      'Service commonhold',
    ])
    const { version } = JSON.parse(read('package.json'))
    for (const name of ['Deployment commonhold', 'Job commonhold-migrate']) {
      const { securityContext, containers } = rendered.get(name).spec.template.spec
      assert.equal(securityContext.runAsNonRoot, true)
      const [{ image, securityContext: own, envFrom, env = [] }] = containers
      assert.equal(image, `registry.example.com/commonhold:${version}`)
      assert.deepEqual(own, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      assert.deepEqual(envFrom, [{ secretRef: { name: 'commonhold' } }])
      for (const variable of env) assert.ok(Object.hasOwn(SETTINGS, variable.name), variable.name)
    }
  })

  it('selects the pods of the servers by their labels', async (context) => {
    const rendered = await render(context, REQUIRED)
    const { selector, template } = rendered.get('Deployment commonhold').spec
    const { labels } = template.metadata
    assert.deepEqual(selector.matchLabels, labels)
    assert.deepEqual(rendered.get('Service commonhold').spec.selector, labels)
    assert.deepEqual(rendered.get('PodDisruptionBudget commonhold').spec.selector.matchLabels, labels)
  })

  it('stops a pod only when requests are no longer routed to it', async (context) => {
    const { spec } = (await render(context, REQUIRED)).get('Deployment commonhold')
    const { terminationGracePeriodSeconds, containers } = spec.template.spec
    const { readinessProbe, env } = containers[0]
    const delay = Number(env.find(({ name }: { name: string }) => name === 'STOP_DELAY_SECONDS').value)
    const { periodSeconds, failureThreshold, timeoutSeconds } = readinessProbe
    assert.ok(delay > periodSeconds * failureThreshold + timeoutSeconds)
    assert.ok(terminationGracePeriodSeconds > delay + 30)
    assert.equal(spec.strategy.rollingUpdate.maxUnavailable, 0)
  })

  it('refuses a release without an image, an address or the secrets, and says what to set', async (context) => {
    const without = (name: string) => render(context, { ...REQUIRED, [name]: undefined })
    assert.match(await refusal(without('image')), /image\.repository is required/)
    assert.match(await refusal(without('settings')), /settings\.PUBLIC_URL is required/)
    assert.match(
      await refusal(without('existingSecret')),
      /DATABASE_URL is required: name a secret with it in existingSecret/,
    )
    const { MASTER_KEY: _, ...others } = SECRETS
    assert.match(await refusal(render(context, { ...WITH_SECRETS, secrets: others })), /MASTER_KEY is required/)
    assert.match(await refusal(render(context, { ...REQUIRED, secrets: SECRETS })), /exclude each other/)
  })

  it('refuses values that the schema does not know', async (context) => {
    assert.match(await refusal(render(context, { ...REQUIRED, replicas: 3 })), /'replicas' not allowed/)
    const misspelt = { ...REQUIRED, settings: { ...REQUIRED.settings, STOP_DELAY_SECOND: '5' } }
    assert.match(await refusal(render(context, misspelt)), /'STOP_DELAY_SECOND' not allowed/)
    const number = { ...REQUIRED, settings: { ...REQUIRED.settings, STOP_DELAY_SECONDS: 5 } }
    assert.match(await refusal(render(context, number)), /STOP_DELAY_SECONDS.*want string/s)
  })

  it('creates a secret that starts the server, one more for the job, and new servers when it changes', async (context) => {
    const rendered = await render(context, WITH_SECRETS)
    const { stringData } = rendered.get('Secret commonhold')
    const server = rendered.get('Deployment commonhold')
    const env = Object.fromEntries(containerOf(server).env.map(({ name, value }: KubernetesObject) => [name, value]))
    const { PUBLIC_URL, METRICS_TOKEN, STOP_DELAY_SECONDS } = readConfig({ ...stringData, ...env })
    assert.deepEqual([PUBLIC_URL, METRICS_TOKEN, STOP_DELAY_SECONDS], [env.PUBLIC_URL, SECRETS.METRICS_TOKEN, 10])

    const ofTheJob = rendered.get('Secret commonhold-migrate')
    assert.deepEqual(ofTheJob.stringData, stringData)
    const job = rendered.get('Job commonhold-migrate')
    assert.deepEqual(containerOf(job).envFrom, [{ secretRef: { name: 'commonhold-migrate' } }])
    for (const { metadata } of [ofTheJob, job])
      assert.equal(metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade')
    assert.ok(
      Number(ofTheJob.metadata.annotations['helm.sh/hook-weight']) <
        Number(job.metadata.annotations['helm.sh/hook-weight']),
    )

    const checksum = (object: KubernetesObject) => object.spec.template.metadata.annotations['checksum/secrets']
    const secrets = { ...SECRETS, METRICS_TOKEN: 'another-token-of-16-characters' }
    const changed = (await render(context, { ...WITH_SECRETS, secrets })).get('Deployment commonhold')
    assert.notEqual(checksum(changed), checksum(server))
  })

  it('reads the database from the secret of an operator, for the servers and the job', async (context) => {
    const database = { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'commonhold-db', key: 'uri' } } }
    const { DATABASE_URL: _, ...secrets } = SECRETS
    const rendered = await render(context, { ...WITH_SECRETS, secrets, extraEnv: [database] })
    for (const name of ['Deployment commonhold', 'Job commonhold-migrate'])
      assert.deepEqual(containerOf(rendered.get(name)).env.at(-1), database)
  })

  it('gives a stopping server its delay and 50 seconds more', async (context) => {
    const settings = { ...REQUIRED.settings, STOP_DELAY_SECONDS: '45' }
    const server = (await render(context, { ...REQUIRED, settings })).get('Deployment commonhold')
    assert.equal(server.spec.template.spec.terminationGracePeriodSeconds, 95)
  })

  it('leaves out the job', async (context) => {
    const rendered = await render(context, { ...WITH_SECRETS, migrate: { enabled: false } })
    assert.deepEqual(
      [...rendered.keys()].filter((name) => name.endsWith('migrate')),
      [],
    )
  })

  it('routes the host of PUBLIC_URL', async (context) => {
    const settings = { PUBLIC_URL: 'https://commonhold.example.com:8443' }
    const annotations = { 'nginx.ingress.kubernetes.io/proxy-body-size': '8m' }
    const ingress = { enabled: true, className: 'nginx', tlsSecret: 'commonhold-tls', annotations }
    const rendered = await render(context, { ...REQUIRED, settings, ingress })
    const { metadata, spec } = rendered.get('Ingress commonhold')
    assert.deepEqual(metadata.annotations, annotations)
    assert.deepEqual(spec, {
      ingressClassName: 'nginx',
      tls: [{ hosts: ['commonhold.example.com'], secretName: 'commonhold-tls' }],
      rules: [
        {
          host: 'commonhold.example.com',
          http: {
            paths: [
              { path: '/', pathType: 'Prefix', backend: { service: { name: 'commonhold', port: { name: 'http' } } } },
            ],
          },
        },
      ],
    })
  })

  it('lets Prometheus scrape each server with the token, and refuses to without one', async (context) => {
    const serviceMonitor = { enabled: true, labels: { release: 'prometheus' } }
    const rendered = await render(context, { ...REQUIRED, serviceMonitor })
    const { metadata, spec } = rendered.get('ServiceMonitor commonhold')
    assert.equal(metadata.labels.release, 'prometheus')
    const { labels } = rendered.get('Service commonhold').metadata
    for (const [label, value] of Object.entries(spec.selector.matchLabels)) assert.equal(labels[label], value)
    const credentials = { name: 'commonhold', key: 'METRICS_TOKEN' }
    assert.deepEqual(spec.endpoints, [
      { port: 'http', path: '/metrics', interval: '30s', authorization: { credentials } },
    ])
    const { METRICS_TOKEN: _, ...secrets } = SECRETS
    assert.match(
      await refusal(render(context, { ...WITH_SECRETS, secrets, serviceMonitor })),
      /serviceMonitor\.enabled needs secrets\.METRICS_TOKEN/,
    )
  })

  it('leaves the number of servers to the autoscaler', async (context) => {
    const rendered = await render(context, { ...REQUIRED, autoscaling: { enabled: true, maxReplicas: 9 } })
    assert.equal(rendered.get('Deployment commonhold').spec.replicas, undefined)
    const { spec } = rendered.get('HorizontalPodAutoscaler commonhold')
    assert.deepEqual([spec.minReplicas, spec.maxReplicas, spec.scaleTargetRef.name], [3, 9, 'commonhold'])
  })

  it('puts pods where they are wanted, with files and secrets of the registry', async (context) => {
    const extraVolumes = [{ name: 'authority', configMap: { name: 'database-ca' } }]
    const extraVolumeMounts = [{ name: 'authority', mountPath: '/etc/database-ca', readOnly: true }]
    const tolerations = [{ key: 'dedicated', operator: 'Exists' }]
    const where = { nodeSelector: { disk: 'ssd' }, tolerations, affinity: { nodeAffinity: {} } }
    const files = { extraVolumes, extraVolumeMounts, imagePullSecrets: [{ name: 'registry' }] }
    // A cluster that assigns users.
    const podSecurityContext = { runAsUser: null, runAsGroup: null }
    const rendered = await render(context, { ...REQUIRED, ...where, ...files, podSecurityContext })
    for (const name of ['Deployment commonhold', 'Job commonhold-migrate']) {
      const { spec } = rendered.get(name).spec.template
      assert.deepEqual(spec.imagePullSecrets, files.imagePullSecrets)
      assert.deepEqual([spec.volumes, spec.containers[0].volumeMounts], [extraVolumes, extraVolumeMounts])
      assert.deepEqual({ ...spec, ...where }, spec)
      assert.deepEqual(Object.keys(spec.securityContext).sort(), ['runAsNonRoot', 'seccompProfile'])
    }
  })

  it('keeps two releases in a namespace apart', async (context) => {
    const [one, other] = [await render(context, REQUIRED, 'blue'), await render(context, REQUIRED, 'green')]
    assert.deepEqual(
      [...one.keys()].filter((name) => other.has(name)),
      [],
    )
    const selector = (objects: Map<string, KubernetesObject>, name: string) => objects.get(name).spec.selector
    assert.notDeepEqual(selector(one, 'Service blue-commonhold'), selector(other, 'Service green-commonhold'))
    const named = await render(context, { ...REQUIRED, fullnameOverride: 'access' }, 'blue')
    assert.ok(named.has('Deployment access') && named.has('Service access'))
  })

  it('says after the installation what to do next', async (context) => {
    const notes = async (values: object) => {
      const options = ['--values', valuesFile(values), '--dry-run=client']
      const printed = await helmIn(context)('install', 'blue', CHART, ...options)
      return printed.slice(printed.indexOf('NOTES:'))
    }
    const first = await notes(WITH_SECRETS)
    assert.match(first, /port-forward service\/blue-commonhold 8080:80\n/)
    assert.match(first, /Nobody can create a workspace, because SIGNUP is closed/)
    assert.match(first, /Keep MASTER_KEY with your backups/)
    assert.match(first, /Route https:\/\/commonhold\.example\.com to the service blue-commonhold, with TLS/)
    const settings = { ...REQUIRED.settings, SIGNUP: 'token' }
    const others = await notes({ ...REQUIRED, settings, ingress: { enabled: true } })
    assert.doesNotMatch(others, /SIGNUP|MASTER_KEY|with TLS/)
  })

  it('renders the example of its README', async (context) => {
    const [, example = ''] = /^```yaml\n(.*?)^```$/ms.exec(read('deploy/helm/commonhold/README.md')) ?? []
    assert.ok((await render(context, parse(example))).has('Ingress commonhold'))
  })
})
