/** The views and the actions that the palette offers. */
import {
  type Icon,
  IconDownload,
  IconHelpCircle,
  IconHistory,
  IconKey,
  IconMailPlus,
  IconPlus,
  IconRefresh,
  IconTable,
  IconUserPlus,
} from '@tabler/icons-react'
import type { NavigateOptions } from '@tanstack/react-router'
import type { TimeFormat } from '../../components/values/times.ts'
import { MATRIX } from '../../links/paths.ts'
import type { Found, FoundKind } from '../../queries/search.ts'
import type { Needs } from '../../session/permission.ts'
import { neededFor, VIEWS, WORKSPACE_VIEWS } from '../navigation.tsx'
import { givingAccessTo } from './destination.ts'
import { SETTINGS, WORDS_OF_VIEWS } from './words.ts'

/** The question that a command asks before it leads anywhere. */
export interface Question {
  title: string
  kinds: readonly FoundKind[]
  toOf: (apiKey: string, found: Found) => NavigateOptions
}

type ColorScheme = 'light' | 'dark' | 'auto'

/** The effect of a command: it opens a view, asks a question, or acts immediately. */
export type Deed =
  | { to: NavigateOptions }
  | { asks: Question }
  | { colorScheme: ColorScheme }
  | { times: TimeFormat }
  | 'confirm'
  | 'sign out'

export interface PaletteCommand {
  label: string
  /** Other words for it. */
  words?: string
  Icon: Icon
  /** Absent from the palette of people who may not do it. */
  needs?: Needs
  does: Deed
}

const GIVE: Question = {
  title: 'Give access to which organization, folder or document?',
  kinds: ['organization', 'folder', 'document'],
  toOf: givingAccessTo,
}

const EXPORT_MATRIX: Question = {
  title: 'Export the access of which organization?',
  kinds: ['organization'],
  toOf: (apiKey, { id }) => ({ to: MATRIX, params: { apiKey }, search: { organizationId: id } }),
}

/** Returns the actions of an API key, if one is open, of the workspace, if its session may do them, and of everybody. */
export function actionsOf(apiKey: string | undefined, isWorkspace: boolean): readonly PaletteCommand[] {
  const params = { apiKey: apiKey ?? '' }
  const tokens = { to: '/keys/$apiKey/settings/tokens', params } as const
  const ofKey: PaletteCommand[] = [
    {
      label: 'Give access…',
      words: 'grant share add person',
      Icon: IconUserPlus,
      needs: 'grants.add',
      does: { asks: GIVE },
    },
    {
      label: 'Why does a user have access?',
      words: 'explain decision',
      Icon: IconHelpCircle,
      does: { to: { to: '/keys/$apiKey/why', params } },
    },
    {
      label: 'Add organization',
      words: 'create tenant new',
      Icon: IconPlus,
      needs: 'organizations.add',
      does: { to: { to: '/keys/$apiKey/organizations', params, search: { add: true } } },
    },
    {
      label: 'Invite somebody',
      words: 'invitation add person e-mail',
      Icon: IconMailPlus,
      needs: 'invitations.add',
      does: { to: { to: '/keys/$apiKey/invitations', params } },
    },
    {
      label: 'Export access…',
      words: 'matrix csv download save',
      Icon: IconTable,
      does: { asks: EXPORT_MATRIX },
    },
    {
      label: 'Export events',
      words: 'csv json download save log history',
      Icon: IconDownload,
      needs: 'events.list',
      does: { to: { to: '/keys/$apiKey/events', params } },
    },
    {
      label: 'Access then and now',
      words: 'changes compare difference past history',
      Icon: IconHistory,
      needs: 'events.list',
      does: { to: { to: '/keys/$apiKey/changes', params } },
    },
  ]
  const ofKeyAndWorkspace: PaletteCommand[] = [
    {
      label: 'Rotate auth token',
      words: 'tokens renew replace secret key',
      Icon: IconRefresh,
      needs: ['auth-tokens.create', 'auth-tokens.revoke'],
      does: { to: tokens },
    },
    {
      label: 'Create auth token',
      words: 'tokens new add secret',
      Icon: IconKey,
      needs: 'auth-tokens.create',
      does: { to: tokens },
    },
  ]
  const ofWorkspace: PaletteCommand[] = [
    {
      label: 'Create API key',
      words: 'new data set',
      Icon: IconKey,
      needs: 'api-keys.create',
      does: { to: { to: '/keys/new' } },
    },
  ]
  return [
    ...(apiKey === undefined ? [] : ofKey),
    ...(apiKey !== undefined && isWorkspace ? ofKeyAndWorkspace : []),
    ...(isWorkspace ? ofWorkspace : []),
  ]
}

const SETTINGS_VIEW = VIEWS.at(-1)

export function viewsOf(apiKey: string | undefined, isWorkspace: boolean): readonly PaletteCommand[] {
  const params = { apiKey: apiKey ?? '' }
  const ofKey = VIEWS.map(
    ({ to, label, Icon, ...view }): PaletteCommand => ({
      label,
      words: WORDS_OF_VIEWS[label] ?? '',
      Icon,
      does: { to: { to, params } },
      needs: neededFor(view),
    }),
  )
  const ofSettings = SETTINGS.flatMap(({ to, label, words, needs }): PaletteCommand[] =>
    SETTINGS_VIEW === undefined
      ? []
      : [{ label, words, needs, Icon: SETTINGS_VIEW.Icon, does: { to: { to, params } } }],
  )
  const ofWorkspace = WORKSPACE_VIEWS.map(
    ({ to, label, Icon, needs }): PaletteCommand => ({
      label,
      words: WORDS_OF_VIEWS[label] ?? '',
      Icon,
      needs,
      does: { to: { to } },
    }),
  )
  return [...(apiKey === undefined ? [] : [...ofKey, ...ofSettings]), ...(isWorkspace ? ofWorkspace : [])]
}
