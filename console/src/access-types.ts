/** Who gets in, for each access type: the words are the same everywhere. */
import type { AccessType } from '#sdk/generated/operations.ts'

export const ACCESS_TYPES: Readonly<Record<AccessType, { label: string; meaning: string }>> = {
  public: { label: 'Public', meaning: 'Any user of the API key gets in, as an editor where no grant says otherwise.' },
  organizationPrivate: {
    label: 'Organization private',
    meaning: 'Members of the organization get in, with their role in it, and whoever has a grant.',
  },
  restricted: { label: 'Restricted', meaning: 'Only users with a grant get in.' },
}

export const accessTypes = Object.entries(ACCESS_TYPES) as [AccessType, { label: string; meaning: string }][]
