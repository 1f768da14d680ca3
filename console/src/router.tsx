/**
 * All addresses of the console; each view is loaded when it is opened. Ids that callers choose are part of the query
 * (`?organizationId=…`), because some of them, such as `..`, cannot be part of a path.
 */

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { Loading } from './components/loading.tsx'
import { SessionGuard } from './session/session-guard.tsx'
import { Frame } from './shell/frame.tsx'
import { KeyGuard } from './shell/key-guard.tsx'
import { loaded } from './shell/loaded.ts'
import { NotFound } from './shell/not-found.tsx'
import { ServerBanner } from './shell/server-banner.tsx'
import { Start } from './shell/start.tsx'
import { ViewFailure } from './shell/view-failure.tsx'

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

export const router = createRouter({
  routeTree: root.addChildren([start, key.addChildren([overview, organizations])]),
  basepath: '/console',
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
