/** The AuthZEN API on top of the decisions of the permissions feature. */
import { createDecisions } from '#features/permissions/shared.ts'
import type { CreateFeature } from '#kernel'
import { authZenRoutes } from './routes.ts'

export const authZen: CreateFeature = (kernel) => {
  const { config, publicUrl } = kernel
  const { check } = kernel.use(createDecisions)
  return {
    routes: (_routes, pipeline) =>
      authZenRoutes(pipeline, {
        check,
        publicUrl,
        headerPrefix: config.HEADER_PREFIX,
        bodyBytesMax: config.BODY_BYTES_MAX,
      }),
  }
}
