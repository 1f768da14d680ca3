/**
 * Paths of comparable hosted services that Commonhold does not offer, each with the reason and what to do instead. They
 * are UNIMPLEMENTED, not unknown: a client that calls one learns that the path is right and the feature is missing.
 */
const IN_APP_NOTIFICATIONS = 'Commonhold sends no notifications inside apps; omit this call.'
const ACTIVITY_LOG = 'There is no activity log to configure; every change is recorded as an event. Omit this call.'
const PERMISSION_PROVIDER =
  'Commonhold decides access from its own grants and calls no provider; grant with auth/permissions/add instead.'
const DOMAIN_REQUESTS = 'Domains are not requested by users; add them with workspace/domains/add.'

export const NOT_OFFERED: Readonly<Record<string, string>> = {
  '/v2/workspace/email/status':
    'E-mail addresses of owners are not verified, so keys do not wait for that; omit this call.',
  '/v2/workspace/email/send-login-link':
    'There are no logins by e-mail; the token that workspace/create returns is the only credential of a workspace.',
  '/v2/workspace/notificationconfig/get': IN_APP_NOTIFICATIONS,
  '/v2/workspace/notificationconfig/update': IN_APP_NOTIFICATIONS,
  '/v2/workspace/activityconfig/get': ACTIVITY_LOG,
  '/v2/workspace/activityconfig/update': ACTIVITY_LOG,
  '/v2/workspace/permissionproviderconfig/get': PERMISSION_PROVIDER,
  '/v2/workspace/permissionproviderconfig/update': PERMISSION_PROVIDER,
  '/v2/workspace/domains/request': DOMAIN_REQUESTS,
  '/v2/workspace/requested/domains/get': DOMAIN_REQUESTS,
  '/v2/workspace/additional-url-request': DOMAIN_REQUESTS,
  '/v2/auth/generate_signature':
    'It signs the responses of a permission provider, which Commonhold does not call; grant with auth/permissions/add instead.',
}
