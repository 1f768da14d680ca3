/**
 * All addresses of the console; each view is loaded when it is opened. Ids that callers choose are part of the query
 * (`?organizationId=…`), because some of them, such as `..`, cannot be part of a path.
 */

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Loading } from './components/loading.tsx'
import { accessSearch, matrixSearch, whySearch } from './resource.ts'
import { parseSearch, stringifySearch } from './search-params.ts'
import { SessionGuard } from './session/session-guard.tsx'
import { Frame } from './shell/frame.tsx'
import { KeyGuard } from './shell/key-guard.tsx'
import { loaded } from './shell/loaded.ts'
import { NotFound } from './shell/not-found.tsx'
import { ServerBanner } from './shell/server-banner.tsx'
import { Start } from './shell/start.tsx'
import { ViewFailure } from './shell/view-failure.tsx'
import { eventSearch } from './views/events/event-search.ts'
import { migrationSearch } from './views/migrations/migration-search.ts'

const root = createRootRoute({
  component: () => (
    <>
      <ServerBanner />
      <SessionGuard>
        <Frame />
      </SessionGuard>
    </>
  ),
  notFoundComponent: () => <NotFound />,
})

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start })

const key = createRoute({ getParentRoute: () => root, path: 'keys/$apiKey', component: KeyGuard })

const overview = createRoute({
  getParentRoute: () => key,
  path: '/',
  component: lazyRouteComponent(() => loaded(() => import('./views/overview/overview-view.tsx')), 'OverviewView'),
})

const organizations = createRoute({
  getParentRoute: () => key,
  path: 'organizations',
  component: lazyRouteComponent(
    () => loaded(() => import('./views/organizations/organizations-view.tsx')),
    'OrganizationsView',
  ),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: 'keys',
  component: lazyRouteComponent(() => loaded(() => import('./views/keys/keys-view.tsx')), 'KeysView'),
})

const newKey = createRoute({
  getParentRoute: () => root,
  path: 'keys/new',
  component: lazyRouteComponent(() => loaded(() => import('./views/keys/create-key-view.tsx')), 'CreateKeyView'),
})

const settings = createRoute({
  getParentRoute: () => key,
  path: 'settings',
  component: lazyRouteComponent(() => loaded(() => import('./views/key-settings/settings-view.tsx')), 'SettingsView'),
})

const settingsParts = [
  createRoute({
    getParentRoute: () => settings,
    path: '/',
    component: lazyRouteComponent(() => loaded(() => import('./views/key-settings/general-view.tsx')), 'GeneralView'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'tokens',
    component: lazyRouteComponent(() => loaded(() => import('./views/key-settings/tokens-view.tsx')), 'TokensView'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'domains',
    component: lazyRouteComponent(() => loaded(() => import('./views/key-settings/domains-view.tsx')), 'DomainsView'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'email',
    component: lazyRouteComponent(() => loaded(() => import('./views/key-settings/email-view.tsx')), 'EmailView'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'webhooks',
    component: lazyRouteComponent(
      () => loaded(() => import('./views/key-settings/webhooks-view.tsx')),
      'WebhookSettingsView',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'compare',
    validateSearch: ({ with: other }: { with?: unknown }): { with?: string } =>
      typeof other === 'string' ? { with: other } : {},
    component: lazyRouteComponent(() => loaded(() => import('./views/key-settings/compare-view.tsx')), 'CompareView'),
  }),
] as const

const events = createRoute({
  getParentRoute: () => key,
  path: 'events',
  validateSearch: eventSearch,
  component: lazyRouteComponent(() => loaded(() => import('./views/events/events-view.tsx')), 'EventsView'),
})

const webhooks = createRoute({
  getParentRoute: () => key,
  path: 'webhooks',
  component: lazyRouteComponent(() => loaded(() => import('./views/webhooks/webhooks-view.tsx')), 'WebhooksView'),
})

const webhookEndpoint = createRoute({
  getParentRoute: () => key,
  path: 'webhooks/$endpointId',
  component: lazyRouteComponent(() => loaded(() => import('./views/webhooks/endpoint-view.tsx')), 'EndpointView'),
})

const migrations = createRoute({
  getParentRoute: () => key,
  path: 'migrations',
  validateSearch: migrationSearch,
  component: lazyRouteComponent(() => loaded(() => import('./views/migrations/migrations-view.tsx')), 'MigrationsView'),
})

const access = createRoute({
  getParentRoute: () => key,
  path: 'access',
  validateSearch: accessSearch,
  component: lazyRouteComponent(() => loaded(() => import('./views/access/access-view.tsx')), 'AccessView'),
})

const why = createRoute({
  getParentRoute: () => key,
  path: 'why',
  validateSearch: whySearch,
  component: lazyRouteComponent(() => loaded(() => import('./views/why/why-view.tsx')), 'WhyView'),
})

const matrix = createRoute({
  getParentRoute: () => key,
  path: 'matrix',
  validateSearch: matrixSearch,
  component: lazyRouteComponent(() => loaded(() => import('./views/matrix/matrix-view.tsx')), 'MatrixView'),
})

const resources = createRoute({
  getParentRoute: () => key,
  path: 'organizations/resources',
  validateSearch: (search: Record<string, unknown>): { organizationId: string; folderId?: string } => ({
    organizationId: idOf(search.organizationId),
    ...(search.folderId === undefined ? {} : { folderId: idOf(search.folderId) }),
  }),
  component: lazyRouteComponent(() => loaded(() => import('./views/resources/resources-view.tsx')), 'ResourcesView'),
})

const users = createRoute({
  getParentRoute: () => key,
  path: 'users',
  validateSearch: (search: Record<string, unknown>): { organizationId?: string } =>
    search.organizationId === undefined ? {} : { organizationId: idOf(search.organizationId) },
  component: lazyRouteComponent(() => loaded(() => import('./views/users/users-view.tsx')), 'UsersView'),
})

const user = createRoute({
  getParentRoute: () => key,
  path: 'users/user',
  validateSearch: (search: Record<string, unknown>): { userId: string } => ({ userId: idOf(search.userId) }),
  component: lazyRouteComponent(() => loaded(() => import('./views/users/user-view.tsx')), 'UserView'),
})

const groups = createRoute({
  getParentRoute: () => key,
  path: 'groups',
  validateSearch: (search: Record<string, unknown>): { organizationId?: string; groupId?: string } => ({
    ...(search.organizationId === undefined ? {} : { organizationId: idOf(search.organizationId) }),
    ...(search.groupId === undefined ? {} : { groupId: idOf(search.groupId) }),
  }),
  component: lazyRouteComponent(() => loaded(() => import('./views/groups/groups-view.tsx')), 'GroupsView'),
})

/** Ids are texts; the router reads `?folderId=7` as a number. */
function idOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    keys,
    newKey,
    key.addChildren([
      overview,
      organizations,
      resources,
      access,
      why,
      matrix,
      users,
      user,
      groups,
      migrations,
      events,
      webhooks,
      webhookEndpoint,
      settings.addChildren(settingsParts),
    ]),
  ]),
  basepath: '/console',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ViewFailure,
  defaultNotFoundComponent: () => <NotFound />,
  defaultPendingComponent: () => <Loading />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
