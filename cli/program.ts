/** Builds the tree of commands. */
import { Command } from 'commander'
import { addGlobalOptions } from './command.ts'
import { ACCESS_LIST_COMMANDS } from './commands/access/access-lists.ts'
import { addAccessMatrix } from './commands/access/access-matrix.ts'
import { DECISION_COMMANDS } from './commands/access/decisions.ts'
import { FINDING_COMMANDS } from './commands/access/findings.ts'
import { GRANT_COMMANDS } from './commands/access/grants.ts'
import { API_KEY_COMMANDS, addKeyUse } from './commands/account/api-keys.ts'
import { AUTH_TOKEN_COMMANDS } from './commands/account/auth-tokens.ts'
import { addLogin } from './commands/account/login.ts'
import { OPERATOR_COMMANDS } from './commands/account/operators.ts'
import { addProfile } from './commands/account/profile.ts'
import { addSession } from './commands/account/session.ts'
import { SSO_COMMANDS } from './commands/account/sso.ts'
import { WORKSPACE_COMMANDS } from './commands/account/workspace.ts'
import { WORKSPACE_TOKEN_COMMANDS } from './commands/account/workspace-tokens.ts'
import { addThreadsExport } from './commands/comments/export.ts'
import { INBOX_COMMANDS } from './commands/comments/inbox.ts'
import { MAIL_COMMANDS } from './commands/comments/mails.ts'
import { THREAD_COMMANDS } from './commands/comments/threads.ts'
import { addEventsExport, EVENT_COMMANDS } from './commands/events/events.ts'
import { addListen } from './commands/events/listen.ts'
import { addTail } from './commands/events/tail.ts'
import { addUsage } from './commands/events/usage.ts'
import { WEBHOOK_COMMANDS } from './commands/events/webhooks.ts'
import { addExportAndImport } from './commands/moving/export-import.ts'
import { addMove } from './commands/moving/move.ts'
import { addPromote } from './commands/moving/promote.ts'
import { addProxy } from './commands/moving/proxy.ts'
import { EMAIL_COMMANDS } from './commands/settings/email.ts'
import { SETTINGS_COMMANDS } from './commands/settings/settings.ts'
import { SIGNING_KEY_COMMANDS } from './commands/settings/signing-keys.ts'
import { DOCUMENT_COMMANDS } from './commands/structure/documents.ts'
import { FOLDER_COMMANDS } from './commands/structure/folders.ts'
import { INVITATION_COMMANDS } from './commands/structure/invitations.ts'
import { addMigrate, MIGRATION_COMMANDS } from './commands/structure/migrate.ts'
import { ORGANIZATION_COMMANDS } from './commands/structure/organizations.ts'
import { SEARCH_COMMANDS } from './commands/structure/search.ts'
import { USER_DATA_COMMANDS } from './commands/structure/user-data.ts'
import { USER_GROUP_COMMANDS } from './commands/structure/user-groups.ts'
import { addUserRevoke } from './commands/structure/user-revoke.ts'
import { USER_TOKEN_COMMANDS } from './commands/structure/user-tokens.ts'
import { USER_COMMANDS } from './commands/structure/users.ts'
import { addBuckets } from './commands/tools/buckets.ts'
import { addCall } from './commands/tools/call.ts'
import { addDev } from './commands/tools/dev.ts'
import { addDoctor } from './commands/tools/doctor.ts'
import { addMasterKey } from './commands/tools/master-key.ts'
import { addMcp } from './commands/tools/mcp.ts'
import { addServe } from './commands/tools/serve.ts'
import { HELP_END } from './help-end.ts'
import { addOperationCommand, type OperationCommand } from './operation-command.ts'
import { io } from './terminal/io.ts'
import { write } from './terminal/terminal.ts'
import { VERSION } from './version.ts'

/** The command groups in the order of the help, under headings. */
const NOUNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Your account:': {
    profile: 'Named addresses and credentials.',
    workspace: 'The workspace.',
    'workspace-token': 'Tokens of the workspace.',
    operator: 'The people who manage the workspace.',
    sso: 'How operators sign in with an OpenID Connect provider.',
    key: 'API keys of the workspace.',
    token: 'Auth tokens of an API key.',
  },
  'Structure and people:': {
    org: 'Organizations.',
    folder: 'Folders of an organization.',
    doc: 'Documents of an organization.',
    user: 'Users, their data and their tokens.',
    group: 'User groups of an organization.',
    invitation: 'Invitations of people.',
  },
  'Access:': {
    grant: 'Roles of users on organizations, folders and documents.',
    access: 'Who may do what.',
    findings: 'Findings that an administrator should look at.',
  },
  'Work and events:': {
    threads: 'Threads of comments on documents.',
    migrate: 'Changes of document ids.',
    events: 'The log of changes.',
    webhooks: 'Signed webhook endpoints.',
  },
  'Settings of the API key:': {
    settings: 'Access and user tokens.',
    provider: 'The service that is asked before a user token is denied.',
    domain: 'Hosts of pages that may call with a user token.',
    email: 'E-mail.',
    'signing-key': 'Keys that sign user tokens.',
  },
  'Moving from a hosted service:': {
    move: 'Check and convert the data of a hosted service.',
    proxy: 'Record what a program calls in its present service.',
  },
}

export const OPERATION_COMMANDS: readonly OperationCommand[] = [
  ...WORKSPACE_COMMANDS,
  ...WORKSPACE_TOKEN_COMMANDS,
  ...OPERATOR_COMMANDS,
  ...SSO_COMMANDS,
  ...API_KEY_COMMANDS,
  ...AUTH_TOKEN_COMMANDS,
  ...ORGANIZATION_COMMANDS,
  ...FOLDER_COMMANDS,
  ...DOCUMENT_COMMANDS,
  ...USER_COMMANDS,
  ...USER_DATA_COMMANDS,
  ...USER_TOKEN_COMMANDS,
  ...USER_GROUP_COMMANDS,
  ...INVITATION_COMMANDS,
  ...SIGNING_KEY_COMMANDS,
  ...GRANT_COMMANDS,
  ...FINDING_COMMANDS,
  ...ACCESS_LIST_COMMANDS,
  ...DECISION_COMMANDS,
  ...MIGRATION_COMMANDS,
  ...EVENT_COMMANDS,
  ...SETTINGS_COMMANDS,
  ...EMAIL_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...SEARCH_COMMANDS,
  ...THREAD_COMMANDS,
  ...MAIL_COMMANDS,
  ...INBOX_COMMANDS,
]

const ALIASES: Readonly<Record<string, string>> = {
  org: 'organization',
  doc: 'document',
  webhooks: 'webhook',
  threads: 'thread',
  events: 'event',
}

export function buildProgram(): Command {
  const program = new Command('commonhold')
    .description('The command line of Commonhold, the open, self-hosted management back-end for collaborative apps.')
    .version(VERSION, '-v, --version', 'The version.')
    .helpOption('-h, --help', 'Show help, also for a command.')
    .helpCommand(false)
    // `run.ts` reports usage errors, like all other failures.
    .configureOutput({ writeOut: write, writeErr: (text) => void io().stderr.write(text), outputError() {} })
    .exitOverride()
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false })
    .addHelpText('after', HELP_END)
  for (const [heading, nouns] of Object.entries(NOUNS)) {
    program.commandsGroup(heading)
    if (heading === 'Your account:') {
      addLogin(program)
      addSession(program)
    }
    for (const [noun, summary] of Object.entries(nouns)) {
      const command = program.command(noun).summary(summary).description(summary).helpCommand(false)
      const alias = ALIASES[noun]
      if (alias !== undefined) command.alias(alias)
    }
    for (const spec of topLevel.filter((spec) => headingOf(spec) === heading)) addOperationCommand(program, spec)
  }
  for (const spec of OPERATION_COMMANDS.filter(({ name }) => name.includes(' '))) addOperationCommand(program, spec)
  addKeyUse(program)
  addUserRevoke(program)
  addAccessMatrix(program)
  addMigrate(program)
  addTail(program)
  addEventsExport(program)
  addThreadsExport(program)
  addListen(program)
  addProfile(program)
  addMove(program)
  addProxy(program)
  program.commandsGroup('Tools:')
  addUsage(program)
  addCall(program)
  addExportAndImport(program)
  addPromote(program)
  addDoctor(program)
  addMcp(program)
  program.commandsGroup('Running Commonhold:')
  addDev(program)
  addServe(program)
  addBuckets(program)
  addMasterKey(program)
  addGlobalOptions(program)
  return program
}

const topLevel = OPERATION_COMMANDS.filter(({ name }) => !name.includes(' '))

const headingOf = (spec: OperationCommand): string => {
  if (INBOX_COMMANDS.includes(spec)) return 'Work and events:'
  return SEARCH_COMMANDS.includes(spec) ? 'Structure and people:' : 'Access:'
}
