/** The differences between the configuration of two API keys. */
import type { Client } from '../client.ts'

export const PARTS = [
  'settings',
  'domains',
  'email',
  'webhooks',
  'endpoints',
  'provider',
  'notifications',
  'activities',
] as const
export type Part = (typeof PARTS)[number]

export interface Difference {
  part: Part
  what: string
  kind: 'add' | 'change' | 'remove'
  before?: unknown
  after?: unknown
  /** The resources that it opens to everyone, in a sentence. */
  opens?: string
  make(target: Client): Promise<unknown>
}

export interface Promotion {
  differences: Difference[]
  /** The steps that must be done by hand, in sentences. */
  byHand: string[]
  /** Parts of the target's configuration that the source does not have and that are not to be deleted. */
  onlyInTarget: string[]
}

export type Fields = Readonly<Record<string, unknown>>

export const differ = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) !== JSON.stringify(other ?? null)
export const changed = (part: Part, what: string, before: unknown, after: unknown) =>
  ({ part, what, kind: 'change', before, after }) as const

/** Adds the deletion of what only the target has, or says that it is kept. */
export function addSurplus({ differences, onlyInTarget }: Promotion, deletes: boolean, difference: Difference): void {
  if (deletes) differences.push(difference)
  else onlyInTarget.push(`${difference.part} ${difference.what}`)
}
