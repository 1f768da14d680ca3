/** Permission providers: services of customers that are asked before a user token is denied. */
import { generatePermissionSignature } from '#contract/access/permission-provider.ts'
import type { Routes } from '#http/route.ts'
import type { CreateFeature } from '#kernel'
import { createPermissionSignatures, type PermissionSignatures } from './operations.ts'
import { createPermissionProviders } from './provider.ts'

export const permissionProvider: CreateFeature = (kernel) => ({
  routes: (routes) => permissionProviderRoutes(routes, createPermissionSignatures(kernel)),
  stop: () => kernel.use(createPermissionProviders).close(),
})

function permissionProviderRoutes(routes: Routes, signatures: PermissionSignatures): void {
  routes.withApiKey(generatePermissionSignature, async (caller, data) => ({
    data: await signatures.generate(caller, data),
  }))
}
