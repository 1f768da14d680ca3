/** The label and the explanation of each access type, as every view shows them. */
import type { AccessType } from '#sdk/generated/operations.ts'

export const ACCESS_TYPES: Readonly<Record<AccessType, { label: string; meaning: string }>> = {
  public: {
    label: 'Public',
    meaning: 'Every user of the API key has access: with its default access role, unless a grant says otherwise.',
  },
  organizationPrivate: {
    label: 'Organization private',
    meaning: 'Members of the organization have access with their role in it. So do users with a grant.',
  },
  restricted: { label: 'Restricted', meaning: 'Only users with a grant have access.' },
}

export const accessTypes = Object.entries(ACCESS_TYPES) as [AccessType, { label: string; meaning: string }][]
