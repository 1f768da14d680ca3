/** The order of the list of a view. The URL contains it, so that a link and Back keep it. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { sortSearch } from '../../links/searches.ts'
import type { Sorting } from './sort-header.tsx'

/** The route of the view accepts `SortSearch`. */
export function useSorting(): Sorting {
  // The router also passes on what the route refused.
  const { orderBy = 'name' } = sortSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  return {
    orderBy,
    onSort: (by) => {
      const search = ({ orderBy, ...others }: object & { orderBy?: unknown }) =>
        by === 'name' ? others : { ...others, orderBy: by }
      void navigate({ to: '.', search: search as never, resetScroll: false })
    },
  }
}
