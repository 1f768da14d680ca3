/** A decision with what it follows from. */
import type { Decision } from '#contract/decisions.ts'
import type { ExplainedResource } from '#contract/explanations.ts'
import type { ResourceName } from '#contract/permissions.ts'

export interface Explained {
  userId: string
  resource: ResourceName
  decision: Decision
  userDisabled: boolean
  /** From the resource in question up to the organization; empty if it does not exist. */
  chain: ExplainedResource[]
}

export const label = ({ type, id }: Pick<ResourceName, 'type' | 'id'>): string => `${type} "${id}"`
