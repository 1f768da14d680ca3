/** Builds Helm with Go, runs it on the chart, and validates what it renders against the schemas of the Kubernetes API. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Secret, Service } from 'kubernetes-models/v1'
import type { TestContext } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { temporaryFolder } from '#testing/processes/process.ts'
import { patient } from '#testing/run/mode.ts'
import { ROOT } from '../../scripts/root.ts'
import { read } from './sources.ts'

// biome-ignore lint/suspicious/noExplicitAny: as the kind of each object has it
export type KubernetesObject = any

const MODELS = { Deployment, HorizontalPodAutoscaler, Ingress, Job, PodDisruptionBudget, Secret, Service }

const objectsOf = (text: string): KubernetesObject[] =>
  parseAllDocuments(text).flatMap((document) => document.toJS() ?? [])

/** Throws if an object is not valid for the API of Kubernetes. */
function validate(object: KubernetesObject): void {
  assert.ok(Object.hasOwn(MODELS, object.kind), `there is no schema of ${object.kind}`)
  const model = new MODELS[object.kind as keyof typeof MODELS](object)
  assert.equal(model.apiVersion, object.apiVersion)
  model.validate()
}

const HELM = 'helm.sh/helm/v4/cmd/helm@v4.3.1'
/** Helm is downloaded and compiled if no cache has it. */
export const INSTALL_TIMEOUT_MS = patient(900_000)

export const CHART = path.join(ROOT, 'deploy/helm/commonhold')
/** The oldest Kubernetes that the chart supports. A Helm that Go builds has no version of its own to render for. */
const [OLDEST = ''] = /\d+\.\d+\.\d+/.exec(parse(read('deploy/helm/commonhold/Chart.yaml')).kubeVersion) ?? []

const run = promisify(execFile)
type Helm = (...args: string[]) => Promise<string>
let installed: { helm: Helm } | { missing: string } = { missing: 'it was not installed' }

/** Installs Helm into a folder that is removed after the file. Without Go, or without Helm to download, tests are skipped. */
export async function installHelm(): Promise<void> {
  const GOBIN = temporaryFolder()
  try {
    await run('go', ['install', HELM], { env: { ...process.env, GOBIN } })
    const program = path.join(GOBIN, 'helm')
    installed = { helm: async (...args) => (await run(program, args, { maxBuffer: 1 << 24 })).stdout }
  } catch (error) {
    installed = { missing: String((error as { stderr?: string }).stderr || error).slice(-500) }
  }
}

/** Returns a function that runs Helm and returns its output; skips the test if Helm is not available. */
export const helmIn = (context: TestContext): Helm =>
  'helm' in installed ? installed.helm : context.skip(`Helm is not available here: ${installed.missing}`)

export function valuesFile(values: object): string {
  const file = path.join(temporaryFolder(), 'values.yaml')
  writeFileSync(file, JSON.stringify(values))
  return file
}

/** Returns the objects that Helm renders, each valid for Kubernetes, by kind and name. */
export async function render(
  context: TestContext,
  values: object,
  release = 'commonhold',
): Promise<Map<string, KubernetesObject>> {
  const options = ['--values', valuesFile(values), '--kube-version', OLDEST]
  const objects = objectsOf(await helmIn(context)('template', release, CHART, ...options))
  // The schema of a monitor belongs to the Prometheus operator; the test of monitors compares the whole object.
  for (const object of objects) if (object.kind !== 'ServiceMonitor') validate(object)
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
}
