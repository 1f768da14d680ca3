/**
 * `workspace/permissionproviderconfig/*`, and the protocol of permission providers: services of customers that are asked before a user
 * token is denied (rules/access.md#permission-providers). Also `auth/generate_signature`, which signs their answers.
 */
import Type from 'typebox'
import { ClosedObject, Milliseconds } from '../core/fields.ts'
import { callerId, HttpUrl, ItemsOrNone, OrganizationId, UserId } from '../core/ids.ts'
import { LIMITS } from '../core/limits.ts'
import { operation } from '../core/operation.ts'
import { AccessRole, ResourceType } from './permissions.ts'

/** The name that events give to the author of provided grants, and lists of grants to their source. */
export const PERMISSION_PROVIDER = 'permission_provider' as const

export const GrantSource = Type.Enum([PERMISSION_PROVIDER], {
  description:
    '`permission_provider`: the grant comes from the permission provider of the API key, and ends when the user signs out. Absent on all other grants.',
})

/** `details.cause` of `permission_provider_failed`: how the provider failed. */
export type ProviderFailure =
  /** Too many questions of the workspace wait for it. */
  | 'busy'
  | 'timeout'
  | 'not_reached'
  | 'address_not_allowed'
  | 'redirect'
  /** Its HTTP status is not 200. */
  | 'status'
  | 'too_large'
  | 'encoded'
  | 'malformed'
  /** `success` is not true, or `statusCode` is not 200. */
  | 'unsuccessful'
  | 'unasked'
  | 'unanswered'
  | 'answered_twice'
  | 'role_unknown'
  | 'expiry_invalid'
  | 'expired'
  | 'signature_wrong'

export const PermissionProviderConfig = Type.Object({
  usePermissionProvider: Type.Boolean(),
  permissionProviderConfig: Type.Object({
    permissionProviderUrl: Type.String(),
    authToken: Type.String({
      description:
        'Masked: asterisks, and the last four characters of a long secret. In clear if the operator has set `REVEAL_SECRETS`.',
    }),
  }),
})
export type PermissionProviderConfig = Type.Static<typeof PermissionProviderConfig>

export const getPermissionProviderConfig = operation({
  name: 'permission-provider-config.get',
  path: '/v2/workspace/permissionproviderconfig/get',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Get the settings of the permission provider',
  description:
    'Returns which service is asked before a user token is denied. Settings that are not set are empty strings. Secrets are masked.',
  data: ClosedObject({}),
  result: PermissionProviderConfig,
  success: 'Permission provider settings retrieved successfully.',
  example: {},
})

export const updatePermissionProviderConfig = operation({
  name: 'permission-provider-config.update',
  path: '/v2/workspace/permissionproviderconfig/update',
  credentials: 'apiKey',
  scope: 'admin',
  summary: 'Change the settings of the permission provider',
  description:
    'Sets the service that is asked when a call with a user token would be denied: while it is on and has a URL, it can give users temporary grants, and a call fails with `permission_provider_failed` when it does not answer. Changes the given fields, at least one; an empty string clears a field, and a secret equal to its mask is left unchanged. Returns all settings as they are now.',
  data: ClosedObject(
    {
      usePermissionProvider: Type.Optional(Type.Boolean()),
      permissionProviderConfig: Type.Optional(
        ClosedObject({
          permissionProviderUrl: Type.Optional(HttpUrl('Receives the questions.')),
          authToken: Type.Optional(
            Type.String({
              description: 'Sent as `Authorization: Bearer <authToken>`. Stored sealed.',
              maxLength: LIMITS.secretCharactersMax,
            }),
          ),
        }),
      ),
    },
    { minProperties: 1 },
  ),
  result: PermissionProviderConfig,
  success: 'Permission provider settings updated successfully.',
  example: {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: 'https://example.com/permissions' },
  },
})

/** An answer of a permission provider about one user and one resource. */
export const ProvidedPermission = ClosedObject({
  userId: UserId,
  resourceId: callerId("The caller's id of the resource."),
  type: ResourceType,
  organizationId: Type.Optional({
    ...OrganizationId,
    description: 'The organization of the resource. A signature without it is also valid for an answer with it.',
  }),
  hasAccess: Type.Boolean(),
  accessRole: Type.Optional(AccessRole),
  expiresAt: Type.Optional(Milliseconds('Unix time in **milliseconds**, as in the protocol of permission providers.')),
})

export const generatePermissionSignature = operation({
  name: 'permission-signatures.generate',
  path: '/v2/auth/generate_signature',
  credentials: 'apiKey',
  scope: 'write',
  summary: 'Sign the answer of a permission provider',
  description:
    'Returns the HMAC-SHA-256 of the canonical JSON (RFC 8785) of `permissions`, with a secret that the API key keeps, as 64 hexadecimal digits. A permission provider can send it as `signature` beside the same list, in the same order; Commonhold refuses an answer whose signature is wrong. Answers need no signature.',
  data: ClosedObject({ permissions: ItemsOrNone(ProvidedPermission, 'The answer to sign.') }),
  result: Type.Object({ signature: Type.String() }),
  success: 'Signature generated successfully.',
  example: {
    permissions: [
      {
        userId: 'ada',
        resourceId: 'roadmap',
        type: 'document',
        organizationId: 'acme',
        hasAccess: true,
        accessRole: 'editor',
        expiresAt: 2_000_000_000_000,
      },
    ],
  },
})

export const PERMISSION_PROVIDER_OPERATIONS = [
  getPermissionProviderConfig,
  updatePermissionProviderConfig,
  generatePermissionSignature,
]
