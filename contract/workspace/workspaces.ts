/** `workspace/create` and `workspace/get`: the customer of the service, which owns API keys. */
import Type from 'typebox'
import { AccessType } from '../access/permissions.ts'
import { ClosedObject, Milliseconds } from '../core/fields.ts'
import { Email, HttpUrl } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { ApiKeySummary } from '../keys/api-keys.ts'

export const Workspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  owner: Type.Object({ email: Type.String(), id: Type.String(), name: Type.String(), avatar: Type.String() }),
  authToken: Type.String({
    description:
      'The token of the workspace with which the call was made; empty in the console session of an operator. A secret: it can create keys and read their tokens.',
  }),
  apiKeyList: Type.Record(Type.String(), ApiKeySummary, { description: 'The API keys of the workspace, by their id.' }),
})
export type Workspace = Type.Static<typeof Workspace>

const shortName = (description: string) =>
  Type.Optional(Type.String({ description, minLength: 1, maxLength: LIMITS.workspaceNameCharactersMax }))

export const createWorkspace = operation({
  name: 'workspaces.create',
  path: '/v2/workspace/create',
  credentials: 'none',
  summary: 'Create a workspace',
  description:
    'Creates a workspace with its first testing key. The operator decides who may call this (`SIGNUP`); with `SIGNUP=token` the header `x-service-signup-token` is required. An e-mail address can own at most 5 workspaces.',
  data: ClosedObject({
    ownerEmail: Email('Who owns the workspace.'),
    name: shortName("The owner's display name. Default: the e-mail address."),
    workspaceName: shortName('Default: `{name} workspace`.'),
    avatar: Type.Optional(HttpUrl("The URL of the owner's picture.")),
    defaultDocumentAccessType: Type.Optional({
      ...AccessType,
      description:
        'The setting of the first key: who has access to documents and folders without an access type of their own.',
      default: 'public',
    }),
    expiresInMs: Type.Optional(Milliseconds('Accepted without effect: workspaces do not expire.')),
  }),
  result: Workspace,
  success: 'Workspace created successfully.',
  warns: true,
  reasons: ['signup_closed', 'signup_token_wrong', 'too_many_workspaces', 'email_domain_refused'],
  example: { ownerEmail: 'ada@example.com', name: 'Ada' },
})

export const getWorkspace = operation({
  name: 'workspaces.get',
  path: '/v2/workspace/get',
  credentials: 'workspace',
  summary: 'Get the workspace',
  description: 'Returns the workspace of the credentials, with its keys.',
  data: ClosedObject({}),
  result: Workspace,
  success: 'Workspace retrieved successfully.',
  example: {},
})

export const WORKSPACE_OPERATIONS = [createWorkspace, getWorkspace]
