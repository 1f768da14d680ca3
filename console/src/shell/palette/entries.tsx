/** The entries of the palette for a text: commands, records and API keys; the group with the best match comes first. */
import { Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { NavigateOptions } from '@tanstack/react-router'
import type { ApiKeySummary } from '#sdk/generated/operations.ts'
import { matching, rankOf } from '../../components/combobox/matching.ts'
import type { Offer, Option } from '../../components/combobox/use-combobox.ts'
import { EnvironmentBadge } from '../../components/page/environment.tsx'
import { FoundOption } from '../../components/search/found-option.tsx'
import { useFound } from '../../components/search/use-found.ts'
import { Id } from '../../components/values/id.tsx'
import { type Found, keySearchQuery } from '../../queries/search.ts'
import { useRefusals } from '../../session/permission.ts'
import { keyOf } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { nameOf } from '../key-switcher.tsx'
import { actionsOf, type Deed, type PaletteCommand, type Question, viewsOf } from './commands.ts'
import { destinationOf } from './destination.ts'
import classes from './palette.module.css'
import { personalCommands } from './personal.ts'

export interface Entry extends Option {
  does: Deed
  /** The words by which it is found, the best first. */
  texts: readonly string[]
  /** It only resembles what was typed. */
  isNear?: boolean
}

const QUERY_CHARACTERS_MAX = 200

interface Entries extends Offer<Entry> {
  error: Error | null
}

/** Returns the entries of the palette; for a question, only those that answer it. */
export function useEntries(apiKey: string | undefined, typed: string, question: Question | undefined): Entries {
  const { workspaceId, operator } = useSession()
  const isWorkspace = workspaceId !== undefined
  const refusalOf = useRefusals()
  const key = apiKey === undefined ? undefined : keyOf(apiKey)
  const search = useFound(key, typed, question === undefined ? {} : { kinds: [...question.kinds] })
  const text = typed.trim()
  const query = text.slice(0, QUERY_CHARACTERS_MAX)
  const keys = useQuery({ ...keySearchQuery(query), enabled: isWorkspace && question === undefined && text !== '' })
  const isPending = search.isPending || keys.isLoading
  const error = search.error ?? keys.error
  const offer = { isPending, hasFailed: error !== null, error }
  const toOf = (found: Found): NavigateOptions => (question?.toOf ?? destinationOf)(apiKey ?? '', found)
  const results = search.found.map((found) => resultEntry(found, toOf(found)))
  if (question !== undefined) return { ...offer, options: results }
  const commands = (group: string, all: readonly PaletteCommand[]): Entry[] => {
    const allowed = all.filter(({ needs = [] }) => refusalOf(needs) === undefined)
    const { items, areNear } = matching(allowed, text, ({ label, words = '' }) => `${label} ${words}`)
    // An entry with that name comes before entries that are only found by that word.
    const byLabel = items.toSorted((one, other) => rankOf(one.label, text) - rankOf(other.label, text))
    return byLabel.map((command) => commandEntry(group, command, areNear))
  }
  const groups = [
    commands('Actions', actionsOf(apiKey, isWorkspace)),
    results,
    (text === '' ? [] : (keys.data ?? [])).map(keyEntry),
    commands('Views', viewsOf(apiKey, isWorkspace)),
    commands('You', personalCommands(operator !== undefined)),
  ]
  return { ...offer, options: text === '' ? groups.flat() : bestFirst(groups, text) }
}

/** The group with the best match is first. What only resembles the text is listed where nothing contains it. */
function bestFirst(groups: readonly (readonly Entry[])[], text: string): Entry[] {
  const exact = groups.map((entries) => entries.filter(({ isNear }) => !isNear))
  const rankOfGroup = (entries: readonly Entry[]) =>
    Math.min(...entries.flatMap(({ texts }) => texts.map((one) => rankOf(one, text))))
  const listed = exact.some((entries) => entries.length > 0) ? exact : groups
  return listed.toSorted((one, other) => rankOfGroup(one) - rankOfGroup(other)).flat()
}

function resultEntry(found: Found, to: NavigateOptions): Entry {
  const { kind, organizationId, documentId, id, text, name = text ?? id, email = id, near = false } = found
  return {
    key: JSON.stringify([kind, organizationId, documentId, id]),
    label: name,
    group: near ? 'Similar' : 'Results',
    content: <FoundOption found={found} />,
    does: { to },
    texts: [name, id, email],
    isNear: near,
  }
}

const keyEntry = (one: ApiKeySummary): Entry => ({
  key: `key ${one.id}`,
  label: nameOf(one),
  group: 'API keys',
  does: { to: { to: '/keys/$apiKey', params: { apiKey: one.id } } },
  texts: [nameOf(one), one.id],
  content: (
    <span className={classes.entry}>
      <IconKey size={16} aria-hidden /> <bdi>{nameOf(one)}</bdi>
      <Text span size="xs" c="dimmed">
        <Id copy={false}>{one.id}</Id>
      </Text>
      <EnvironmentBadge apiKey={one.id} />
    </span>
  ),
})

const commandEntry = (group: string, { label, Icon, does }: PaletteCommand, isNear: boolean): Entry => ({
  key: `${group} ${label}`,
  label,
  group,
  does,
  texts: [label],
  isNear,
  content: (
    <span className={classes.entry}>
      <Icon size={16} aria-hidden /> {label}
    </span>
  ),
})
