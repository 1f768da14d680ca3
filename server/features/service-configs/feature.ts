/** The settings of the services of API keys: e-mail, webhooks and the permission provider. */
import type { CreateFeature } from '#kernel'
import { createServiceConfigs } from './operations.ts'
import { serviceConfigRoutes } from './routes.ts'

export const serviceConfigs: CreateFeature = (kernel) => ({
  routes: (routes) => serviceConfigRoutes(routes, kernel.use(createServiceConfigs)),
})
