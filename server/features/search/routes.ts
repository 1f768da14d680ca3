/** The route of the search. */
import { runSearch } from '#contract/resources/search.ts'
import type { Routes } from '#http/route.ts'
import type { Search } from './operations.ts'

export function searchRoutes(routes: Routes, { find }: Search): void {
  routes.withApiKeyOrUser(runSearch, find)
}
