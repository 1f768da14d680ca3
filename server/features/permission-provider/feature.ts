/** Permission providers: services of customers that are asked before a user token is denied. */
import type { CreateFeature } from '#kernel'
import { createPermissionSignatures } from './operations.ts'
import { createPermissionProviders } from './provider.ts'
import { permissionProviderRoutes } from './routes.ts'

export const permissionProvider: CreateFeature = (kernel) => ({
  routes: (routes) => permissionProviderRoutes(routes, createPermissionSignatures(kernel)),
  stop: () => kernel.use(createPermissionProviders).close(),
})
