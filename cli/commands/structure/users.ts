/** Commands for users of organizations, folders and documents. */

import type { DataOf, ResultOf } from '#contract/core/operation.ts'
import { disableUsers, listDisabledUsers } from '#contract/users/disabled-users.ts'
import { listProfiles } from '#contract/users/profiles.ts'
import { addUsers, countUsers, deleteUsers, getUsers, updateUsers } from '#contract/users/users.ts'
import type { Parameter } from '../../command-parameters.ts'
import { call } from '../../connection/calls.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand, Outcome } from '../../operation-command.ts'
import { items, type Remark, record, table } from '../../terminal/output.ts'
import { column, milliseconds, seconds } from '../../terminal/table.ts'
import { plain } from '../../terminal/terminal.ts'
import { json } from '../../values.ts'
import { grantedTo, roleOption } from '../access/granted.ts'
import { CREATE_ORG, ORG } from '../parameters.ts'
import { ALREADY_DISABLED, AS_BEFORE, existingAmong, foundBy, NOT_DISABLED, unchangedAmong } from './existing.ts'

export const USERS: Parameter = { flags: '<user...>', at: 'userIds' }
const TARGET: readonly Parameter[] = [
  ORG,
  { flags: '--doc <document>', at: 'documentId', help: 'On this document instead of the organization.' },
  { flags: '--folder <folder>', at: 'folderId', help: 'On this folder instead of the organization.' },
]
const PROFILE: readonly Parameter[] = [
  { flags: '--name <name>', at: 'users[0].name' },
  { flags: '--email <address>', at: 'users[0].email' },
  { flags: '--role <role>', at: 'users[0].accessRole' },
  {
    flags: '--metadata <json>',
    at: 'users[0]',
    help: 'Further fields of the profile and custom fields, as a JSON object.',
    read: json,
  },
]
type Added = DataOf<typeof addUsers>

/** Returns the users as they are stored on the target of a call. */
const storedUsers = async (connection: Connection, { organizationId, documentId, folderId, users }: Added) => {
  const target = {
    ...(documentId === undefined ? {} : { documentId }),
    ...(folderId === undefined ? {} : { folderId }),
  }
  const userIds = users.map(({ userId }) => userId)
  const found = await foundBy(() => connection.forKey().users.get({ organizationId, ...target, userIds }))
  return (found ?? []).flatMap((user) =>
    'userId' in user && 'accessRole' in user ? [{ ...user, id: String(user.userId) }] : [],
  )
}

/** Returns the users as a call gives them, and as they are stored. */
const compared = async (connection: Connection, data: Added) =>
  [data.users.map(({ userId: id, ...fields }) => ({ id, ...fields })), await storedUsers(connection, data)] as const

type Naming = Pick<DataOf<typeof disableUsers>, 'userIds'>

const disabledAmong = async (connection: Connection, { userIds }: Naming): Promise<ReadonlySet<string>> => {
  const page = await foundBy(() => call(connection, listDisabledUsers, { userIds, pageSize: userIds.length }))
  return new Set(((page ?? { users: [] }) as ResultOf<typeof listDisabledUsers>).users.map(({ userId }) => userId))
}

const NO_GRANT: Outcome = { lines: [], more: [], json: {} }

/** Returns the grant that the first user of a call has on its target. */
async function added(connection: Connection, data: Added): Promise<Outcome> {
  const { organizationId, documentId, folderId } = data
  const resource =
    documentId !== undefined
      ? { type: 'document' as const, id: documentId, organizationId }
      : folderId !== undefined
        ? { type: 'folder' as const, id: folderId, organizationId }
        : { type: 'organization' as const, id: organizationId }
  const [stored] = await storedUsers(connection, data)
  if (stored === undefined) return NO_GRANT
  const { accessRole, expiresAt } = stored as { accessRole?: string; expiresAt?: number }
  return grantedTo(connection, {
    to: { userId: stored.id },
    resources: [{ ...resource, ...(accessRole && { accessRole }), ...(expiresAt && { expiresAt }) }],
  })
}

const USER_COLUMNS = [
  column('USER', 'userId'),
  column('NAME'),
  column('EMAIL'),
  column('ROLE', 'accessRole'),
  column('EXPIRES', 'expiresAt', seconds),
  column('DISABLED'),
]

/** Says which users of a call have no grant on its target, because the list leaves them out. */
async function missing(connection: Connection, data: DataOf<typeof getUsers>): Promise<Remark | undefined> {
  const found = await connection.forKey().users.get(data)
  const there = new Set(Array.isArray(found) ? found.map(({ userId }) => userId) : [])
  const userIds = data.userIds?.filter((userId) => !there.has(userId)) ?? []
  if (userIds.length === 0) return undefined
  return {
    sentence: `No grant there: ${userIds.map(plain).join(', ')}. To see why they have access or not: commonhold explain USER RESOURCE`,
    json: { missing: userIds },
  }
}

export const USER_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'user list',
    operation: getUsers,
    parameters: [
      ...TARGET,
      { flags: '--all-documents', at: 'allDocuments', help: 'On all documents of the organization instead.' },
      { flags: '--user <user...>', at: 'userIds' },
      { flags: '--group <group...>', at: 'organizationUserGroupIds' },
      { flags: '--search <text>', at: 'searchKey' },
      { flags: '--disabled <boolean>', at: 'disabled' },
    ],
    show: table(USER_COLUMNS),
    examples: ['commonhold user list --org acme', 'commonhold user list --org acme --search ada --json'],
  },
  {
    name: 'user get',
    operation: getUsers,
    summary: 'Get members of an organization, or users with a grant on a folder or document, by id',
    parameters: [USERS, ...TARGET],
    show: table(USER_COLUMNS),
    remark: missing,
    examples: ['commonhold user get ada bob --org acme', 'commonhold user get ada --org acme --doc roadmap --json'],
  },
  {
    name: 'user profiles',
    operation: listProfiles,
    summary: 'List the profiles of all users, whether or not they are members of an organization',
    show: table([column('USER', 'userId'), column('NAME'), column('EMAIL')], 'profiles'),
    examples: ['commonhold user profiles', 'commonhold user profiles --json > users.ndjson'],
  },
  {
    name: 'user add',
    operation: addUsers,
    summary: 'Add a user to an organization, a folder or a document',
    parameters: [
      { flags: '<user>', at: 'users[0].userId' },
      ...TARGET,
      ...PROFILE.filter(({ flags }) => !flags.startsWith('--role')),
      roleOption('users[0].accessRole', 'Without --role, a member keeps the role, and a new one is editor.'),
      CREATE_ORG,
    ],
    existing: async (connection, data: Added) => existingAmong(...(await compared(connection, data))),
    outcome: added,
    show: items,
    examples: ['commonhold user add ada --org acme --name "Ada L." --email ada@example.com --role editor'],
  },
  {
    name: 'user update',
    operation: updateUsers,
    summary: 'Change the profile or the role of a user',
    parameters: [{ flags: '<user>', at: 'users[0].userId' }, ...TARGET, ...PROFILE],
    existing: async (connection, data: Added) => unchangedAmong(...(await compared(connection, data))),
    unchangedSays: AS_BEFORE,
    outcome: async (connection, data: Added) =>
      data.users.some(({ accessRole }) => accessRole !== undefined) ? await added(connection, data) : NO_GRANT,
    show: items,
    examples: ['commonhold user update ada --org acme --role viewer'],
  },
  {
    name: 'user remove',
    operation: deleteUsers,
    summary: 'Remove users from an organization, a folder or a document',
    parameters: [USERS, ...TARGET],
    show: items,
    examples: ['commonhold user remove ada --org acme'],
  },
  {
    name: 'user disable',
    operation: disableUsers,
    summary: 'Disable users: deny them all access, and refuse their user tokens',
    parameters: [USERS],
    fixed: { disabled: true },
    existing: async (connection, data: Naming) => ({ unchanged: await disabledAmong(connection, data) }),
    unchangedSays: ALREADY_DISABLED,
    show: items,
    examples: ['commonhold user disable ada'],
  },
  {
    name: 'user enable',
    operation: disableUsers,
    summary: 'Enable users',
    parameters: [USERS],
    fixed: { disabled: false },
    existing: async (connection, data: Naming) => {
      const disabled = await disabledAmong(connection, data)
      return { unchanged: new Set(data.userIds.filter((userId) => !disabled.has(userId))) }
    },
    unchangedSays: NOT_DISABLED,
    show: items,
    examples: ['commonhold user enable ada'],
  },
  {
    name: 'user disabled',
    operation: listDisabledUsers,
    show: table([column('USER', 'userId'), column('SINCE', 'disabledAt', milliseconds)], 'users'),
    examples: ['commonhold user disabled'],
  },
  {
    name: 'user count',
    operation: countUsers,
    parameters: [...TARGET, { flags: '--all-documents', at: 'allDocuments' }],
    show: record,
    examples: ['commonhold user count --org acme'],
  },
]
