/** Searches while somebody types: after a pause, and without the results of earlier texts. */
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type Found, type SearchFor, searchQuery } from '../../queries/search.ts'
import { useRefusal } from '../../session/permission.ts'
import type { Key } from '../../session/session.ts'

export const DEBOUNCE_MS = 150

/** The server refuses longer queries. */
const QUERY_CHARACTERS_MAX = 200

const NOTHING: readonly Found[] = []

interface FoundState {
  found: readonly Found[]
  /** `found` does not belong to the current text. */
  isPending: boolean
  error: Error | null
}

/** Searches while somebody types. Nothing is found without a key, or for somebody who may not search. */
export function useFound(opened: Key | undefined, typed: string, within: Omit<SearchFor, 'query'> = {}): FoundState {
  const key = useRefusal('search.find') === undefined ? opened : undefined
  const text = typed.trim().slice(0, QUERY_CHARACTERS_MAX)
  const [query] = useDebouncedValue(text, DEBOUNCE_MS)
  const enabled = key !== undefined && query !== ''
  const { data, error, isPlaceholderData, status } = useQuery({
    ...searchQuery(key, { query, ...within }),
    enabled,
    placeholderData: keepPreviousData,
  })
  if (key === undefined || text === '') return { found: NOTHING, isPending: false, error: null }
  const isPending = query !== text || isPlaceholderData || status === 'pending'
  return { found: data ?? NOTHING, isPending, error: enabled && !isPending ? error : null }
}
