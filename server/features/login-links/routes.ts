/** Routes of login links. */
import { createLoginLink } from '#contract/workspace/owner-email.ts'
import type { Routes } from '#http/route.ts'
import type { LoginLinks } from './operations.ts'

const anybody = () => {}

export function loginLinkRoutes(routes: Routes, links: LoginLinks): void {
  routes.withoutCredentials(createLoginLink, anybody, async (_caller, data) => {
    links.request(data)
    return undefined
  })
}
