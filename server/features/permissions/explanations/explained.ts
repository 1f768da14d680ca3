/** A decision with the facts from which it follows. */
import type { Decision } from '#contract/access/decisions.ts'
import type { ExplainedResource } from '#contract/access/explanations.ts'
import type { ResourceName } from '#contract/access/permissions.ts'

export interface Explained {
  userId: string
  resource: ResourceName
  decision: Decision
  userDisabled: boolean
  /** From the resource in question up to the organization; empty if it does not exist. */
  chain: ExplainedResource[]
}

export const label = ({ type, id }: Pick<ResourceName, 'type' | 'id'>): string => `${type} "${id}"`
