/** Search by id, name and e-mail address. */
import { runSearch } from '#contract/resources/search.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { createSearch, type Search } from './operations.ts'

export const search: CreateFeature = (kernel) => ({
  routes: (routes) => searchRoutes(routes, createSearch(kernel)),
})

function searchRoutes(routes: Routes, { find }: Search): void {
  routes.withApiKeyOrUser(runSearch, find)
}
