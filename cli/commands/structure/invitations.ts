/** Commands for invitations. */
import {
  addInvitation,
  countInvitations,
  getInvitations,
  getUserInvitations,
  respondToInvitation,
} from '#contract/resources/invitations.ts'
import type { Parameter } from '../../command-parameters.ts'
import type { Connection } from '../../connection/connection.ts'
import type { OperationCommand, Outcome } from '../../operation-command.ts'
import { done, record, table, UNCHANGED } from '../../terminal/output.ts'
import { column, milliseconds } from '../../terminal/table.ts'
import { plain } from '../../terminal/terminal.ts'
import { json, type Reader, resourceNamed } from '../../values.ts'
import { grantedTo, roleOption } from '../access/granted.ts'
import type { Resource } from '../access/place.ts'
import { ORG, RESOURCES } from '../parameters.ts'
import { foundBy } from './existing.ts'

const EMAIL: Parameter = { flags: '<email>', at: 'email' }
const TYPE: Parameter = { flags: '--type <type>', at: 'type' }

/** Reads a resource, as other commands name it, to the fields by which the call names it. */
export const invitedTo: Reader = (word, name) => {
  const { type, id } = resourceNamed(word, name) as Resource
  if (type === 'organization') return { type: 'org_user', organizationId: id }
  return type === 'folder' ? { type: 'folder_user', folderId: id } : { type: 'doc_user', documentId: id }
}
const TO: Parameter = { ...RESOURCES, flags: '<resource>', at: '', read: invitedTo }
const OF_RESOURCE: Parameter = { ...ORG, help: 'The organization of a folder or document.', isOptional: true }

const COLUMNS = table([
  column('EMAIL'),
  column('TYPE'),
  column('FOLDER', 'folderId'),
  column('DOCUMENT', 'documentId'),
  column('ROLE', 'accessRole'),
  column('STATUS'),
  column('INVITED BY', 'invitedBy.name'),
  column('UPDATED', 'lastUpdated', milliseconds),
])

const DEFAULT_ROLE = 'Without --role, accepting gives the default access role of the API key.'

interface Inviting {
  email: string
  type?: string
  organizationId: string
  documentId?: string
  folderId?: string
  accessRole?: string
}

/** Whether the same invitation waits for an answer; adding it again only sends it again. */
async function isPending(connection: Connection, { email, ...data }: Inviting): Promise<boolean> {
  const { organizationId } = data
  const of = { organizationId, email, isPendingUsersOnly: true }
  const found = await foundBy(() => connection.forKey().invitations.get(of))
  return (found ?? []).some((pending) =>
    (['type', 'folderId', 'documentId', 'accessRole'] as const).every(
      (field) => data[field] === undefined || data[field] === pending[field],
    ),
  )
}

async function invited(connection: Connection, data: Inviting, unchanged: ReadonlySet<string>): Promise<Outcome> {
  if (unchanged.size > 0)
    return {
      lines: [`${plain(data.email)}  ${UNCHANGED}`],
      more: ['Where invitations are mailed, it is mailed again.'],
      json: {},
    }
  const { email, organizationId, documentId, folderId, accessRole = 'the default access role of the key' } = data
  const [type, id] =
    documentId !== undefined
      ? (['document', documentId] as const)
      : folderId !== undefined
        ? (['folder', folderId] as const)
        : (['organization', organizationId] as const)
  const given = { to: { email }, resources: [{ type, id, organizationId, accessRole }] }
  return grantedTo(connection, given, { verb: 'is invited, and accepting gives' })
}

export const INVITATION_COMMANDS: readonly OperationCommand[] = [
  {
    name: 'invitation list',
    operation: getInvitations,
    parameters: [
      ORG,
      { flags: '--email <address>', at: 'email' },
      { flags: '--pending', at: 'isPendingUsersOnly', help: 'Only pending ones.' },
    ],
    show: COLUMNS,
    examples: ['commonhold invitation list --org acme --pending'],
  },
  {
    name: 'invitation of',
    operation: getUserInvitations,
    parameters: [EMAIL, ORG, { flags: '--status <status>', at: 'status' }, TYPE],
    show: COLUMNS,
    examples: ['commonhold invitation of grace@example.com --org acme'],
  },
  {
    name: 'invitation count',
    operation: countInvitations,
    parameters: [ORG, TYPE],
    show: record,
    examples: ['commonhold invitation count --org acme --type org_user'],
  },
  {
    name: 'invitation add',
    operation: addInvitation,
    summary: 'Invite a person, or send a pending invitation again',
    parameters: [
      EMAIL,
      TO,
      OF_RESOURCE,
      { ...roleOption('accessRole', DEFAULT_ROLE), help: 'The role that accepting gives.' },
      { flags: '--by <json>', at: 'invitedBy', help: 'The person who invites, as a JSON object.', read: json },
    ],
    show: done,
    existing: async (connection, data: Inviting) => ({
      unchanged: new Set((await isPending(connection, data)) ? ['it'] : []),
    }),
    outcome: invited,
    examples: [
      'commonhold invitation add grace@example.com organization:acme --role viewer',
      `commonhold invitation add grace@example.com document:roadmap --org acme --by '{"userId":"ada","name":"Ada"}'`,
    ],
  },
  {
    name: 'invitation withdraw',
    operation: respondToInvitation,
    summary: 'Withdraw a pending invitation',
    parameters: [EMAIL, TO, OF_RESOURCE],
    fixed: { status: 'WITHDRAWN' },
    show: done,
    examples: ['commonhold invitation withdraw grace@example.com organization:acme'],
  },
  {
    name: 'invitation reject',
    operation: respondToInvitation,
    summary: 'Reject a pending invitation for the invited person',
    parameters: [EMAIL, TO, OF_RESOURCE],
    fixed: { status: 'REJECTED' },
    show: done,
    examples: ['commonhold invitation reject grace@example.com organization:acme'],
  },
  {
    name: 'invitation accept',
    operation: respondToInvitation,
    summary: 'Accept a pending invitation as a user, with a user token of that user',
    parameters: [
      EMAIL,
      TO,
      { flags: '--user <user>', at: 'user.userId' },
      OF_RESOURCE,
      { flags: '--name <name>', at: 'user.name' },
    ],
    fixed: { status: 'ACCEPTED' },
    secret: { at: 'authToken', name: 'User token' },
    show: done,
    examples: ['echo "$TOKEN" | commonhold invitation accept grace@example.com organization:acme --user grace'],
  },
]
