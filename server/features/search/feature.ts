/** Search by id, name and e-mail address. */
import { runSearch } from '#contract/resources/search.ts'
import type { CreateFeature } from '#kernel'
import { createSearch } from './operations.ts'

export const search: CreateFeature = (kernel) => ({
  routes: (routes) => routes.withApiKeyOrUser(runSearch, createSearch(kernel).find),
})
