/** The views and the frequent actions that the palette offers. */
import { type Icon, IconHelpCircle, IconKey, IconPlus, IconUserPlus } from '@tabler/icons-react'
import type { NavigateOptions } from '@tanstack/react-router'
import type { Needs } from '../../session/permission.ts'
import { neededFor, VIEWS, WORKSPACE_VIEWS } from '../navigation.tsx'

export interface PaletteCommand {
  label: string
  /** Other words for it. */
  words?: string
  Icon: Icon
  /** Absent from the palette of those who may not do it. */
  needs?: Needs
  /** Where it leads; absent: it asks what to give access to. */
  to?: NavigateOptions
}

/** Returns the actions of an API key, if one is open, and of the workspace, if its session may do them. */
export function actionsOf(apiKey: string | undefined, isWorkspace: boolean): readonly PaletteCommand[] {
  const params = { apiKey: apiKey ?? '' }
  const ofKey: PaletteCommand[] = [
    { label: 'Give access…', words: 'grant share invite', Icon: IconUserPlus, needs: 'grants.add' },
    {
      label: 'Why does a user have access?',
      words: 'explain decision',
      Icon: IconHelpCircle,
      to: { to: '/keys/$apiKey/why', params },
    },
    {
      label: 'Add organization',
      words: 'create tenant new',
      Icon: IconPlus,
      needs: 'organizations.add',
      to: { to: '/keys/$apiKey/organizations', params, search: { add: true } },
    },
  ]
  const ofWorkspace: PaletteCommand[] = [
    {
      label: 'Create API key',
      words: 'new data set',
      Icon: IconKey,
      needs: 'api-keys.create',
      to: { to: '/keys/new' },
    },
  ]
  return [...(apiKey === undefined ? [] : ofKey), ...(isWorkspace ? ofWorkspace : [])]
}

export function viewsOf(apiKey: string | undefined, isWorkspace: boolean): readonly PaletteCommand[] {
  const params = { apiKey: apiKey ?? '' }
  const ofKey = VIEWS.map(
    ({ to, label, Icon, ...view }): PaletteCommand => ({ label, Icon, to: { to, params }, needs: neededFor(view) }),
  )
  const ofWorkspace = WORKSPACE_VIEWS.map(
    ({ to, label, Icon, needs }): PaletteCommand => ({ label, Icon, needs, to: { to } }),
  )
  return [...(apiKey === undefined ? [] : ofKey), ...(isWorkspace ? ofWorkspace : [])]
}

/** Returns the commands all of whose typed words begin a word of theirs. */
export function matching(commands: readonly PaletteCommand[], typed: string): readonly PaletteCommand[] {
  const wanted = folded(typed).split(/\s+/).filter(Boolean)
  return commands.filter(({ label, words = '' }) => {
    const has = folded(`${label} ${words}`).split(/\W+/)
    return wanted.every((word) => has.some((one) => one.startsWith(word)))
  })
}

const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
