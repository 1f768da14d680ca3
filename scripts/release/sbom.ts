/**
 * Creates the bill of materials in CycloneDX: the packages that npm lists from the lock file, without those that only
 * tests and builds use.
 */
import { execFileSync } from 'node:child_process'
import { npm } from '../packages.ts'
import type { Bundled } from './licences.ts'

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string }
  components: { 'bom-ref': string; properties: { name: string }[] }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const DEVELOPMENT = 'cdx:npm:package:development'

/** Returns the bill for a checkout: the packages that the server needs at run time, and those that the published packages contain. */
export function billOfMaterials(checkout: string, contained: readonly Bundled[]): string {
  const [program, ...args] = npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'library')
  const printed = execFileSync(program, args, { cwd: checkout, encoding: 'utf8', maxBuffer: 1 << 26 })
  // A serial number and a time would make each bill different.
  const { serialNumber: _, ...bom }: Bom = JSON.parse(printed)
  delete bom.metadata.timestamp
  const shipped = new Set(contained.map(({ name, version }) => `${name}@${version}`))
  const components = bom.components
    .filter((one) => shipped.has(one['bom-ref']) || !one.properties.some(({ name }) => name === DEVELOPMENT))
    .map((one) => ({ ...one, properties: one.properties.filter(({ name }) => name !== DEVELOPMENT) }))
  const listed = new Set(components.map((one) => one['bom-ref']))
  const missing = [...shipped].filter((id) => !listed.has(id))
  if (missing.length > 0) throw new Error(`the lock file does not have what the packages contain: ${missing}`)
  const { components: all, dependencies, ...head } = bom
  const isListed = (ref: string) => listed.has(ref) || !all.some((one) => one['bom-ref'] === ref)
  const kept = dependencies
    .filter(({ ref }) => isListed(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isListed) }))
  return `${JSON.stringify({ ...head, components, dependencies: kept }, null, 2)}\n`
}
