/** The route that signs answers of permission providers. */
import { generatePermissionSignature } from '#contract/access/permission-provider.ts'
import type { Routes } from '#http/route.ts'
import type { PermissionSignatures } from './operations.ts'

export function permissionProviderRoutes(routes: Routes, signatures: PermissionSignatures): void {
  routes.withApiKey(generatePermissionSignature, async (caller, data) => ({
    data: await signatures.generate(caller, data),
  }))
}
