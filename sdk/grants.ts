/** Grants and revokes a role on one resource: `grant` and `revoke`, whose questions are written like those of `check`. */
import { call } from './call.ts'
import type { Caller } from './caller.ts'
import { CommonholdError, renamed } from './errors.ts'
import { METHODS, type Method } from './generated/methods.ts'
import type { AccessRole, ResourceName } from './generated/operations.ts'
import type { KeyedCallOptions } from './options.ts'

/** A user, or a user group of the organization of the resource. */
export type Holder = { userId: string; groupId?: undefined } | { groupId: string; userId?: undefined }

export type Grant = Holder & {
  resource: ResourceName
  accessRole: AccessRole
  /** Unix time in seconds. With it, the grant is a temporary one beside the standing one. */
  expiresAt?: number | undefined
  /** True: this becomes the only grant of the user on the resource. */
  replaceExisting?: boolean | undefined
}

export type Revocation = Holder & {
  resource: ResourceName
  /** True: the standing grant stays. */
  temporaryOnly?: boolean | undefined
}

export interface GrantMethods {
  /**
   * Grants a role on one resource, as `permissions.add` does on several. With `expiresAt` the grant is temporary, and a
   * standing grant stays beside it.
   * @example
   * await client.grant({ userId: 'ada', resource: { type: 'organization', id: 'acme' }, accessRole: 'viewer' })
   */
  readonly grant: (grant: Grant, options?: KeyedCallOptions) => Promise<void>
  /**
   * Revokes the grants on one resource, as `permissions.remove` does on several. Succeeds if there is none.
   * @example
   * await client.revoke({ userId: 'ada', resource: { type: 'organization', id: 'acme' } })
   */
  readonly revoke: (revocation: Revocation, options?: KeyedCallOptions) => Promise<void>
}

export function grantMethods(caller: Caller): GrantMethods {
  const { add, remove } = METHODS.apiKey.permissions
  return {
    grant: (grant, options) => change(caller, 'grant', add, grant, options),
    revoke: (revocation, options) => change(caller, 'revoke', remove, revocation, options),
  }
}

async function change(
  caller: Caller,
  name: string,
  method: Method,
  { userId, groupId, resource, ...fields }: Grant | Revocation,
  options?: KeyedCallOptions,
): Promise<void> {
  const organizationId = resource.organizationId ?? resource.id
  const data = {
    ...(userId === undefined ? {} : { user: { userId } }),
    ...(groupId === undefined ? {} : { group: { organizationId, groupId } }),
    permissions: { resources: [{ ...resource, ...fields }] },
  }
  try {
    await call(caller, name, method, data, options)
  } catch (error) {
    throw error instanceof CommonholdError ? renamed(error, error.faults, asWritten) : error
  }
}

/** Names fields as the caller of `grant` and `revoke` wrote them. */
const asWritten = (text: string): string =>
  text.replace(/permissions\.resources\[0\]\.?(type|id|org\w+)?|(user|group)\.(?=\w+Id\b)/g, (_, field) =>
    field ? `resource.${field}` : '',
  )
