/** Other words by which the palette finds views and settings: those of their headings, fields and buttons. */
export const WORDS_OF_VIEWS: Readonly<Record<string, string>> = {
  Overview: 'home usage calls counts health needs attention',
  'Worth a look': 'findings risks security',
  Organizations: 'tenants folders documents delete move',
  Users: 'people leaver offboard leaving remove access disable erase export data profile inbox tokens',
  Groups: 'members teams user groups',
  Invitations: 'invite pending withdraw resend',
  'Access review': 'revoke grants remove keep decisions audit',
  Why: 'explain decision permission check',
  Threads: 'comments conversations mentions assignee priority status',
  Events: 'audit log history export',
  Webhooks: 'endpoints deliveries attempts secret replay messages',
  Migrations: 'change id document dry run',
  Settings:
    'general default access role commenter sharing permission provider require known resources delete key disable key',
  'API keys': 'delete key rename key disable key history',
  People: 'operators team colleagues roles invite sessions',
  'Workspace tokens': 'create replace revoke secrets',
  'Single sign-on': 'sso oidc company login issuer provider client domains redirect rules test connection',
}

export const SETTINGS = [
  {
    to: '/keys/$apiKey/settings/tokens',
    label: 'Auth tokens',
    words: 'settings secrets scopes expiry revoke lifetime user tokens',
    needs: 'auth-tokens.list',
  },
  {
    to: '/keys/$apiKey/settings/domains',
    label: 'Domains',
    words: 'settings allowed requested hosts cors localhost accept reject',
    needs: 'domains.get',
  },
  {
    to: '/keys/$apiKey/settings/email',
    label: 'E-mail',
    words: 'settings mail smtp sendgrid sender company template preview test',
    needs: 'email-config.get',
  },
  {
    to: '/keys/$apiKey/settings/comments',
    label: 'Comments',
    words: 'settings notifications activities collect mails hold back announce expiring',
    needs: 'notification-config.get',
  },
  {
    to: '/keys/$apiKey/settings/webhooks',
    label: 'Webhook settings',
    words: 'encryption encrypt encode payload basic url signed endpoints public key',
    needs: 'webhook-config.get',
  },
  {
    to: '/keys/$apiKey/settings/moving',
    label: 'Import and export',
    words: 'settings move upload download backup data',
    needs: 'key-config.get',
  },
  {
    to: '/keys/$apiKey/settings/compare',
    label: 'Compare and promote',
    words: 'settings difference copy',
    needs: 'api-keys.get',
  },
] as const
