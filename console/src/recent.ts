/** Remembers the latest selections for each API key in this browser. Signing out deletes all of them. */
import type { SearchResult } from '#sdk/generated/operations.ts'
import { forgetTexts, keepText, keptValue } from './storage.ts'

/** A record that can be picked; without a name if only its id is known. */
export type Picked = Pick<SearchResult, 'kind' | 'id'> & Partial<SearchResult>

/** The prefix of the names of everything that signing out deletes. */
export const FORGOTTEN_PREFIX = 'commonhold-recent '
const REMEMBERED_MAX = 8

const nameOf = (apiKey: string, list: string): string => `${FORGOTTEN_PREFIX}${apiKey} ${list}`

/** Returns the latest selections, latest first. `list` names the field. */
export function recentlyPicked(apiKey: string, list: string): readonly Picked[] {
  return (keptValue(nameOf(apiKey, list)) as Picked[] | undefined) ?? []
}

export function rememberPicked(
  apiKey: string,
  list: string,
  { kind, id, name, organizationId, organizationName }: Picked,
): void {
  const others = recentlyPicked(apiKey, list).filter(
    (one) => one.kind !== kind || one.id !== id || one.organizationId !== organizationId,
  )
  const picked = { kind, id, name, organizationId, organizationName }
  keepText(nameOf(apiKey, list), JSON.stringify([picked, ...others].slice(0, REMEMBERED_MAX)))
}

const ORGANIZATION = 'organization'

/** The organization that was last looked at: views of another one begin with it. */
export const rememberOrganization = (apiKey: string, id: string): void =>
  rememberPicked(apiKey, ORGANIZATION, { kind: 'organization', id })

/** Returns the organization that was last looked at if it is listed, else the first. */
export function openOrganization(apiKey: string, listed: readonly { id: string }[] | undefined): string | undefined {
  const [last] = recentlyPicked(apiKey, ORGANIZATION)
  return (listed?.find(({ id }) => id === last?.id) ?? listed?.[0])?.id
}

export const forgetPicked = (): void => forgetTexts(FORGOTTEN_PREFIX)
