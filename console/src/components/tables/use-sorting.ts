/** The order of the list of a view. The URL contains it, so that a link and Back keep it. */
import { useSearch } from '@tanstack/react-router'
import { type SortSearch, sortSearch } from '../../links/searches.ts'
import { useAddress } from '../../links/use-address.ts'
import type { Sorting } from './sort-header.tsx'

/** The route of the view accepts `SortSearch`. */
export function useSorting(): Sorting {
  // The router also passes on what the route refused.
  const [{ orderBy = 'name' }, change] = useAddress<SortSearch>(sortSearch(useSearch({ strict: false })))
  return {
    orderBy,
    onSort: (by) => change(({ orderBy, ...others }) => (by === 'name' ? others : { ...others, orderBy: by })),
  }
}
