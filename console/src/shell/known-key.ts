/** The API key of the address, as far as this session may use it. */
import { useQuery } from '@tanstack/react-query'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { apiKeyQuery, keysQuery } from '../queries/keys/keys.ts'
import { useSession } from '../session/use-session.ts'
import { keepText, keptText } from '../storage.ts'

interface KnownKey {
  /** Undefined: not known yet, or of a session that does not list keys. Null: no key that the session may use has this id. */
  key: ApiKeySummary | null | undefined
  isUnknown: boolean
  error: Error | null
}

export function useKnownKey(apiKey: string | undefined): KnownKey {
  const session = useSession()
  const isWorkspace = session.workspaceId !== undefined
  const { data: keys, error } = useQuery({ ...keysQuery, enabled: isWorkspace })
  const offered = keys?.find(({ id }) => id === apiKey)
  // The list is limited: a key beyond it is looked up by its id.
  const isElsewhere = apiKey !== undefined && keys !== undefined && offered === undefined
  const other = useQuery({ ...apiKeyQuery(apiKey ?? ''), enabled: isElsewhere })
  const key = offered ?? (isElsewhere ? other.data : undefined)
  const isForeign = !isWorkspace && apiKey !== undefined && apiKey !== session.apiKey
  return { key, isUnknown: key === null || isForeign, error: error ?? other.error }
}

/** The API key that was last open in this browser. It is an identifier, not a secret. */
const NAME = 'commonhold-last-key'

export const lastKey = (): string | null => keptText(NAME)

export const rememberLastKey = (apiKey: string): boolean => keepText(NAME, apiKey)
