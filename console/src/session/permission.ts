/** Decides what the signed-in person or token may do before a call is made, with the same table as the server. */
import { useParams } from '@tanstack/react-router'
import type { KeyType, OperatorRole } from '#sdk/generated/operations.ts'
import type { SignedIn } from '#sdk/session.ts'
import { OPERATION_NEEDS, ROLE_MISSING, SCOPE_MISSING } from '../generated/operation-needs.ts'
import { useSession } from './use-session.ts'

type OperationName = keyof typeof OPERATION_NEEDS

/** The operations that an action calls. */
export type Needs = OperationName | readonly OperationName[]

/** The subject of a call. */
export interface About {
  /** The API key that the call is about; absent: the one in the URL. */
  apiKey?: string | undefined
  /** The type of the API key that the call creates. */
  keyType?: KeyType | undefined
  /** A role that the server demands for this subject, beyond the role for the operation. */
  least?: OperatorRole | undefined
}

/**
 * The id alone says it: it is known before anything is loaded, and while the server is unreachable. The server gives
 * production keys such ids.
 */
export const isProduction = (apiKey: string): boolean => apiKey.startsWith('chk_live_')

const typeOf = (apiKey: string): KeyType => (isProduction(apiKey) ? 'production' : 'testing')

export const WORKSPACE_MISSING =
  'You are signed in with an API key. Sign out, then sign in with the workspace id and the workspace token.'

export const SCOPE_ADVICE = 'Sign in with a token that has this scope, or with the workspace token.'

/** Returns why the call would be refused, in the words of the server; undefined: the role or the scopes allow it. */
function refusalOf(signedIn: SignedIn, operation: OperationName, keyType: KeyType, least: OperatorRole) {
  const [scope, testing, production] = OPERATION_NEEDS[operation]
  const { operator, apiKey } = signedIn
  if (operator !== undefined) {
    const missing = ROLE_MISSING[operator.role]
    return missing[keyType === 'production' ? production : testing] ?? missing[least]
  }
  if (apiKey === undefined) return undefined // a token of the workspace may do everything
  if (scope === 'workspace') return WORKSPACE_MISSING
  return signedIn.scopes.includes(scope) ? undefined : `${SCOPE_MISSING[scope]} ${SCOPE_ADVICE}`
}

/** Returns a function that says why an action would be refused, and whom to ask; undefined: it is allowed. */
export function useRefusals(): (needs: Needs, about?: About) => string | undefined {
  const signedIn = useSession()
  const { apiKey: opened = '' } = useParams({ strict: false })
  return (needs, about = {}) => {
    const { apiKey = opened, keyType = typeOf(apiKey), least = 'support' } = about
    return [needs]
      .flat()
      .map((operation: OperationName) => refusalOf(signedIn, operation, keyType, least))
      .find((refusal) => refusal !== undefined)
  }
}

export const useRefusal = (needs: Needs, about?: About): string | undefined => useRefusals()(needs, about)

/** The operation of an element, for tests that compare it with the table. */
export const attributesOf = (needs: Needs, { least, ...about }: About = {}) => ({
  'data-needs': [needs].flat().join(' '),
  'data-least': least,
  'data-key-type': about.keyType ?? (about.apiKey && typeOf(about.apiKey)),
})
