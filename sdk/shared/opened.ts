/** Says, before a default access type or role is set, what it would open to everyone. */
import type { Client } from '../client.ts'
import { CommonholdError } from '../errors.ts'
import type { KeyConfig, UpdateKeyConfigResult } from '../generated/operations.ts'
import type { CallOptions } from '../options.ts'

type Defaults = Pick<KeyConfig, 'defaultDocumentAccessType' | 'defaultAccessRole'>

const ROLES: readonly KeyConfig['defaultAccessRole'][] = ['viewer', 'commenter', 'editor']

/** Returns whether defaults give everyone more access than the previous ones. */
export function opensMore(previous: Defaults, defaults: Defaults): boolean {
  if (defaults.defaultDocumentAccessType !== 'public') return false
  if (previous.defaultDocumentAccessType !== 'public') return true
  return ROLES.indexOf(defaults.defaultAccessRole) > ROLES.indexOf(previous.defaultAccessRole)
}

/** Returns the sentence about what defaults would open; undefined: nothing. A token that may not set them may not count either. */
export async function openingBy(
  key: Client,
  defaults: Partial<Pick<KeyConfig, keyof Defaults | 'accessRoles'>>,
  options: Pick<CallOptions, 'signal'> = {},
): Promise<string | undefined> {
  try {
    return openingSentence(await key.keyConfig.update({ ...defaults, dryRun: true }, options))
  } catch (error) {
    if (error instanceof CommonholdError && error.status === 'PERMISSION_DENIED') return undefined
    throw error
  }
}

/** Returns the sentence about a preview; undefined if nothing is open to everyone. */
export function openingSentence({
  openedByDefault,
}: Pick<UpdateKeyConfigResult, 'openedByDefault'>): string | undefined {
  if (openedByDefault === undefined) return undefined
  const { documents, isComplete } = openedByDefault
  const [noun, own] = documents === 1 ? ['document', 'its own'] : ['documents', 'their own']
  const counted = `${isComplete ? '' : 'at least '}${documents.toLocaleString('en')} ${noun}`
  return `Opens ${counted} without an access type of ${own} to everyone, and every document that is added later without one.`
}
