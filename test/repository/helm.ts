/** Builds Helm with Go, and runs it on the chart. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { TestContext } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '#testing/processes/process.ts'
import { patient } from '#testing/run/mode.ts'
import { ROOT } from '../../scripts/root.ts'
import { type KubernetesObject, objectsOf, validate } from './manifests.ts'
import { read } from './sources.ts'

const HELM = 'helm.sh/helm/v4/cmd/helm@v4.3.1'
/** Helm is downloaded and compiled where no cache has it. */
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

/** Returns what runs Helm and returns its output; skips the test where there is none. */
export const helmIn = (context: TestContext): Helm =>
  'helm' in installed ? installed.helm : context.skip(`Helm is not available here: ${installed.missing}`)

/** Returns the path of a file with these values. */
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
  // The schema of a monitor belongs to the Prometheus operator; its test compares all of it.
  for (const object of objects) if (object.kind !== 'ServiceMonitor') validate(object)
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]))
}

/** Returns an object as the manifests have it: without the labels and annotations of Helm, and with variables in order of their names. */
export function plain(object: KubernetesObject): KubernetesObject {
  const text = JSON.stringify(object, (name, value) => {
    if (name === 'annotations') return
    if (name === 'env')
      return value.toSorted((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(
      Object.entries(value).filter(
        ([key]) => !/^helm\.sh\/|^app\.kubernetes\.io\/(?:instance|version|managed-by)$/.test(key),
      ),
    )
  })
  return JSON.parse(text)
}
