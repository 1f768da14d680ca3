/** The resources in the output of commands about access. */
import { resource as nameOf } from '../../terminal/table.ts'
import { plain } from '../../terminal/terminal.ts'

export interface Resource {
  type: 'organization' | 'folder' | 'document'
  id: string
  organizationId?: string
}

/** The number of resources about which a command says what was before, and who else has access. */
export const RESOURCES_MAX = 5

export const placeOf = ({ type, id, organizationId }: Resource): string =>
  type === 'organization' || organizationId === undefined
    ? nameOf({ type, id })
    : `${nameOf({ type, id })} in ${plain(organizationId)}`
