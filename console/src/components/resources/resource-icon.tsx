/** The icon of an organization, folder or document. */
import { IconBuilding, IconFileText, IconFolder } from '@tabler/icons-react'
import type { ResourceType } from '#sdk/generated/operations.ts'

const ICONS = { organization: IconBuilding, folder: IconFolder, document: IconFileText }
const WORDS = { organization: 'Organization', folder: 'Folder', document: 'Document' }

interface ResourceIconProps {
  type: ResourceType
  size?: number
  /** Set where no text beside the icon names the type. */
  labelled?: boolean
}

export function ResourceIcon({ type, size = 16, labelled = false }: ResourceIconProps) {
  const Icon = ICONS[type]
  const words = labelled ? { role: 'img', 'aria-label': WORDS[type] } : { 'aria-hidden': true }
  return <Icon size={size} {...words} style={{ flex: 'none', verticalAlign: '-0.15em' }} />
}
