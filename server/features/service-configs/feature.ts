/** The settings of the services of API keys: e-mail, webhooks, the permission provider, notifications and activities. */
import type { CreateFeature } from '#kernel'
import { createServiceConfigs } from './operations.ts'
import { serviceConfigRoutes } from './routes.ts'

export const serviceConfigs: CreateFeature = (kernel) => ({
  routes: (routes) => serviceConfigRoutes(routes, kernel.use(createServiceConfigs)),
})
