/** The position at which an import of this browser was interrupted, so that it can continue there. */
import type { LineFault, Position } from '#moving/import/import.ts'
import { FORGOTTEN_PREFIX } from '../../recent.ts'
import { forgetText, keepText, keptValue } from '../../storage.ts'

export interface Kept extends Omit<Position, 'key'> {
  /** The first refused lines. */
  faults: readonly LineFault[]
}

/** A browser stores little, so that no more refused lines are kept. */
const KEPT_FAULTS_MAX = 1_000
const KEPT_CHARACTERS_MAX = 200_000

const BEGINNING_BYTES = 64 * 1024

/** Identifies the content of a file; undefined where the page is not secure, so that the browser computes no hash. */
export async function identityOf(file: File): Promise<string | undefined> {
  const { name, size, lastModified } = file
  const { subtle } = crypto as { subtle?: SubtleCrypto }
  if (subtle === undefined) return undefined
  const hash = new Uint8Array(await subtle.digest('SHA-256', await file.slice(0, BEGINNING_BYTES).arrayBuffer()))
  return JSON.stringify([
    name,
    size,
    lastModified,
    Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  ])
}

const nameOf = (apiKey: string, identity: string): string => `${FORGOTTEN_PREFIX}${apiKey} import ${identity}`

export function keptPosition(apiKey: string, identity: string): Kept | undefined {
  const kept = keptValue(nameOf(apiKey, identity)) as Kept | undefined
  return typeof kept?.line === 'number' && Array.isArray(kept.faults) ? kept : undefined
}

/** A browser that stores nothing cannot continue an import, and imports all the same. */
export function keepPosition(apiKey: string, identity: string, { line, records, failed, faults }: Kept): void {
  for (const some of [firstOf(faults), []])
    if (keepText(nameOf(apiKey, identity), JSON.stringify({ line, records, failed, faults: some }))) return
}

export function forgetPosition(apiKey: string, identity: string): void {
  forgetText(nameOf(apiKey, identity))
}

function firstOf(faults: readonly LineFault[]): LineFault[] {
  let characters = 0
  return faults.slice(0, KEPT_FAULTS_MAX).filter((fault) => {
    characters += JSON.stringify(fault).length
    return characters <= KEPT_CHARACTERS_MAX
  })
}
