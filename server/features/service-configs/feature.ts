/** The e-mail and webhook settings of API keys. */
import type { CreateFeature } from '#kernel'
import { createServiceConfigs } from './operations.ts'
import { serviceConfigRoutes } from './routes.ts'

export const serviceConfigs: CreateFeature = (kernel) => ({
  routes: (routes) => serviceConfigRoutes(routes, kernel.use(createServiceConfigs)),
})
