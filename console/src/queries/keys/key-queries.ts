/** The data that queries about one API key read; `live/concerns.ts` says which events change it. */
export const KEY_QUERIES = [
  ...([
    'overview',
    'usage',
    'findings',
    'settings',
    'email-preview',
    'webhooks',
    'migrations',
    'events',
    'history',
    'search',
  ] as const),
  ...(['organizations', 'folders', 'documents', 'resource-names', 'chain', 'threads', 'comment-mails'] as const),
  ...(['users', 'profiles', 'disabled-users', 'user-names', 'user-data', 'user-groups', 'invitations'] as const),
  ...(['inbox', 'preferences', 'erasures', 'revocations'] as const),
  ...([
    'grants',
    'access-review',
    'permitted-users',
    'permitted-resources',
    'explanation',
    'preview',
    'matrix',
  ] as const),
] as const

export type KeyQuery = (typeof KEY_QUERIES)[number]
