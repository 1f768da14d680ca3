/** Permission providers: services of customers that are asked before a user token is denied. */
import { generatePermissionSignature } from '#contract/access/permission-provider.ts'
import type { CreateFeature } from '#kernel'
import { createPermissionSignatures } from './operations.ts'
import { createPermissionProviders } from './provider.ts'

export const permissionProvider: CreateFeature = (kernel) => ({
  routes(routes) {
    const signatures = createPermissionSignatures(kernel)
    routes.withApiKey(generatePermissionSignature, async (caller, data) => ({
      data: await signatures.generate(caller, data),
    }))
  },
  stop: () => kernel.use(createPermissionProviders).close(),
})
