/**
 * All routes of the console; each view is loaded when it is opened. Ids that callers choose are query parameters
 * (`?organizationId=…`), because some of them, such as `..`, cannot be part of a path.
 */

import { createRootRoute, createRoute, createRouter, Navigate } from '@tanstack/react-router'
import { Loading } from './components/feedback/loading.tsx'
import { parseSearch, stringifySearch } from './links/search-params.ts'
import {
  accessReviewSearch,
  accessSearch,
  changesSearch,
  folderSearch,
  groupsSearch,
  ids,
  insideSearch,
  listSearch,
  organizationsSearch,
  resourcesSearch,
  threadsSearch,
  userSearch,
  usersSearch,
  whySearch,
} from './links/searches.ts'
import { Frame } from './shell/frame.tsx'
import { Home } from './shell/home.tsx'
import { KeyGuard } from './shell/key-guard.tsx'
import { readView, view } from './shell/lazy-views.tsx'
import { NotFound } from './shell/not-found.tsx'
import { ServerBanner } from './shell/server-banner.tsx'
import { ViewFailure } from './shell/view-failure.tsx'
import { SessionGuard } from './sign-in/session-guard.tsx'
import { eventAddress } from './views/events/event-search.ts'
import { migrationSearch } from './views/migrations/migration-search.ts'

const root = createRootRoute({
  component: () => (
    <SessionGuard banner={<ServerBanner />}>
      <Frame />
    </SessionGuard>
  ),
  notFoundComponent: () => <NotFound />,
})

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home })

const key = createRoute({ getParentRoute: () => root, path: 'keys/$apiKey', component: KeyGuard })

const overview = createRoute({
  getParentRoute: () => key,
  path: '/',
  component: readView('key-config.get', 'Overview', () => import('./views/overview/overview-view.tsx'), 'OverviewView'),
})

const worthALook = createRoute({
  getParentRoute: () => key,
  path: 'worth-a-look',
  component: readView(
    'findings.list',
    'Worth a look',
    () => import('./views/findings/findings-view.tsx'),
    'FindingsView',
  ),
})

const organizations = createRoute({
  getParentRoute: () => key,
  path: 'organizations',
  validateSearch: organizationsSearch,
  component: readView(
    'organizations.get',
    'Organizations',
    () => import('./views/organizations/organizations-view.tsx'),
    'OrganizationsView',
  ),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: 'keys',
  validateSearch: listSearch,
  component: view(() => import('./views/keys/keys-view.tsx'), 'KeysView'),
})

const workspaceTokens = createRoute({
  getParentRoute: () => root,
  path: 'workspace-tokens',
  component: view(() => import('./views/workspace-tokens/workspace-tokens-view.tsx'), 'WorkspaceTokensView'),
})

const people = createRoute({
  getParentRoute: () => root,
  path: 'people',
  component: view(() => import('./views/people/people-view.tsx'), 'PeopleView'),
})

const account = createRoute({
  getParentRoute: () => root,
  path: 'account',
  component: view(() => import('./views/account/account-view.tsx'), 'AccountView'),
})

const device = createRoute({
  getParentRoute: () => root,
  path: 'device',
  component: view(() => import('./views/device/device-view.tsx'), 'DeviceView'),
})

const singleSignOn = createRoute({
  getParentRoute: () => root,
  path: 'single-sign-on',
  component: view(() => import('./views/single-sign-on/single-sign-on-view.tsx'), 'SingleSignOnView'),
})

/** The link for colleagues, of those who are signed in already. */
const companySignIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in/$place',
  component: () => <Navigate to="/" replace />,
})

const newKey = createRoute({
  getParentRoute: () => root,
  path: 'keys/new',
  component: view(() => import('./views/keys/create-key-view.tsx'), 'CreateKeyView'),
})

const settings = createRoute({
  getParentRoute: () => key,
  path: 'settings',
  component: view(() => import('./views/key-settings/settings-view.tsx'), 'SettingsView'),
})

const settingsParts = [
  createRoute({
    getParentRoute: () => settings,
    path: '/',
    component: readView(
      'key-config.get',
      undefined,
      () => import('./views/key-settings/general-view.tsx'),
      'GeneralView',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'tokens',
    component: view(() => import('./views/key-settings/tokens-view.tsx'), 'TokensView'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'domains',
    component: readView('domains.get', undefined, () => import('./views/key-settings/domains-view.tsx'), 'DomainsView'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'email',
    component: readView(
      ['email-config.get', 'key-config.get'],
      undefined,
      () => import('./views/key-settings/email-view.tsx'),
      'EmailView',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'webhooks',
    component: readView(
      'webhook-config.get',
      undefined,
      () => import('./views/key-settings/webhooks-view.tsx'),
      'WebhookSettingsView',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'comments',
    component: readView(
      'notification-config.get',
      undefined,
      () => import('./views/key-settings/comments-view.tsx'),
      'CommentSettingsView',
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'compare',
    validateSearch: ids('with'),
    component: view(() => import('./views/key-settings/compare-view.tsx'), 'CompareView'),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: 'moving',
    component: readView('key-config.get', undefined, () => import('./views/moving/moving-view.tsx'), 'MovingView'),
  }),
] as const

const events = createRoute({
  getParentRoute: () => key,
  path: 'events',
  validateSearch: eventAddress,
  component: readView('events.list', 'Events', () => import('./views/events/events-view.tsx'), 'EventsView'),
})

const changes = createRoute({
  getParentRoute: () => key,
  path: 'changes',
  validateSearch: changesSearch,
  component: readView(
    ['events.list', 'grants.list'],
    'Changes',
    () => import('./views/changes/changes-view.tsx'),
    'ChangesView',
  ),
})

const webhooks = createRoute({
  getParentRoute: () => key,
  path: 'webhooks',
  component: readView(
    'advanced-webhook-config.get',
    'Webhooks',
    () => import('./views/webhooks/webhooks-view.tsx'),
    'WebhooksView',
  ),
})

const webhookEndpoint = createRoute({
  getParentRoute: () => key,
  path: 'webhooks/$endpointId',
  component: readView(
    'webhook-attempts.list',
    'Webhooks',
    () => import('./views/webhooks/endpoint-view.tsx'),
    'EndpointView',
  ),
})

const migrations = createRoute({
  getParentRoute: () => key,
  path: 'migrations',
  validateSearch: migrationSearch,
  component: readView(
    'migrations.list',
    'Migrations',
    () => import('./views/migrations/migrations-view.tsx'),
    'MigrationsView',
  ),
})

const access = createRoute({
  getParentRoute: () => key,
  path: 'access',
  validateSearch: accessSearch,
  component: readView('permissions.explain', 'Access', () => import('./views/access/access-view.tsx'), 'AccessView'),
})

const inside = createRoute({
  getParentRoute: () => key,
  path: 'inside',
  validateSearch: insideSearch,
  component: readView('permitted-users.list', 'Access', () => import('./views/access/inside-view.tsx'), 'InsideView'),
})

const why = createRoute({
  getParentRoute: () => key,
  path: 'why',
  validateSearch: whySearch,
  component: readView('permissions.explain', 'Why', () => import('./views/why/why-view.tsx'), 'WhyView'),
})

const accessReview = createRoute({
  getParentRoute: () => key,
  path: 'access-review',
  validateSearch: accessReviewSearch,
  component: readView(
    ['grants.list', 'events.list'],
    'Access review',
    () => import('./views/access-review/access-review-view.tsx'),
    'AccessReviewView',
  ),
})

const matrix = createRoute({
  getParentRoute: () => key,
  path: 'matrix',
  validateSearch: folderSearch,
  component: readView('permitted-users.list', 'Matrix', () => import('./views/matrix/matrix-view.tsx'), 'MatrixView'),
})

const resources = createRoute({
  getParentRoute: () => key,
  path: 'organizations/resources',
  validateSearch: resourcesSearch,
  component: readView(
    'folders.get',
    'Folders and documents',
    () => import('./views/resources/resources-view.tsx'),
    'ResourcesView',
  ),
})

const users = createRoute({
  getParentRoute: () => key,
  path: 'users',
  validateSearch: usersSearch,
  component: readView('users.get', 'Users', () => import('./views/users/users-view.tsx'), 'UsersView'),
})

const user = createRoute({
  getParentRoute: () => key,
  path: 'users/user',
  validateSearch: userSearch,
  component: readView('user-data.get', 'User', () => import('./views/users/user-view.tsx'), 'UserView'),
})

const groups = createRoute({
  getParentRoute: () => key,
  path: 'groups',
  validateSearch: groupsSearch,
  component: readView('user-groups.get', 'Groups', () => import('./views/groups/groups-view.tsx'), 'GroupsView'),
})

const invitations = createRoute({
  getParentRoute: () => key,
  path: 'invitations',
  validateSearch: ids('organizationId'),
  component: readView(
    'invitations.get',
    'Invitations',
    () => import('./views/invitations/invitations-view.tsx'),
    'InvitationsView',
  ),
})

const threads = createRoute({
  getParentRoute: () => key,
  path: 'threads',
  validateSearch: threadsSearch,
  component: readView('threads.get', 'Threads', () => import('./views/threads/threads-view.tsx'), 'ThreadsView'),
})

const thread = createRoute({
  getParentRoute: () => key,
  path: 'threads/thread',
  validateSearch: ids('organizationId', 'documentId', 'annotationId'),
  component: readView('threads.get', 'Thread', () => import('./views/threads/thread-view.tsx'), 'ThreadView'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    keys,
    newKey,
    workspaceTokens,
    people,
    account,
    device,
    singleSignOn,
    companySignIn,
    key.addChildren([
      overview,
      worthALook,
      organizations,
      resources,
      access,
      inside,
      why,
      matrix,
      accessReview,
      users,
      user,
      groups,
      invitations,
      threads,
      thread,
      migrations,
      events,
      changes,
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
