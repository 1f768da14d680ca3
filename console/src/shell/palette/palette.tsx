/** The palette: finds organizations, folders, documents, people, groups, threads, keys, views and frequent actions, and opens them. */
import { Combobox, Group, Kbd, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconKey, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type NavigateOptions, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { EnvironmentBadge } from '../../components/page/environment.tsx'
import { FoundOption } from '../../components/search/found-option.tsx'
import { useFound } from '../../components/search/use-found.ts'
import { Id } from '../../components/values/id.tsx'
import { type Found, keySearchQuery } from '../../queries/search.ts'
import { useRefusals } from '../../session/permission.ts'
import { keyOf } from '../../session/session.ts'
import { useSession } from '../../session/use-session.ts'
import { nameOf } from '../key-switcher.tsx'
import { actionsOf, matching, type PaletteCommand, viewsOf } from './commands.ts'
import { destinationOf, givingAccessTo } from './destination.ts'
import classes from './palette.module.css'

interface Entry {
  id: string
  group: string
  content: ReactNode
  /** Absent: it asks what to give access to. */
  to: NavigateOptions | undefined
}

interface PaletteProps {
  /** Undefined when no key is open: then there is nothing but keys, views and actions. */
  apiKey: string | undefined
  onClose: () => void
}

const RESULTS = 'palette-results'

const WITH_ACCESS = ['organization', 'folder', 'document'] as const

export default function Palette({ apiKey, onClose }: PaletteProps) {
  const isPhone = useMediaQuery('(max-width: 36em)') === true
  const [isGiving, setGiving] = useState(false)
  return (
    <Modal
      opened
      onClose={onClose}
      title={isGiving ? 'Give access to which organization, folder or document?' : 'Search'}
      size="lg"
      padding="sm"
      fullScreen={isPhone}
      transitionProps={{ duration: 0 }}
    >
      <Search
        key={String(isGiving)}
        apiKey={apiKey}
        isGiving={isGiving}
        onGive={() => setGiving(true)}
        onClose={onClose}
      />
    </Modal>
  )
}

interface SearchProps extends PaletteProps {
  /** Only what access can be given to. */
  isGiving: boolean
  onGive: () => void
}

function Search({ apiKey, isGiving, onGive, onClose }: SearchProps) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const { entries, isSearching, error } = useEntries(apiKey, typed, isGiving)
  const combobox = useCombobox({ opened: true })
  /** The id of the element, for screen readers. */
  const [selected, setSelected] = useState<string>()
  const shown = entries.map(({ id }) => id).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: other entries, so the first of them is selected
  useEffect(() => {
    setSelected(combobox.selectFirstOption() ?? undefined)
  }, [shown])
  function choose(id: string): void {
    const entry = entries.find((one) => one.id === id)
    if (entry === undefined) return
    if (entry.to === undefined) onGive()
    else {
      onClose()
      void navigate(entry.to)
    }
  }
  const groups = [...new Set(entries.map(({ group }) => group))]
  return (
    <>
      <Combobox store={combobox} onOptionSubmit={choose}>
        <Combobox.EventsTarget withAriaAttributes={false}>
          <TextInput
            data-autofocus
            role="combobox"
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-expanded
            aria-controls={RESULTS}
            aria-activedescendant={selected}
            aria-label={isGiving ? 'Give access to' : 'Search'}
            placeholder={isGiving ? 'Name or id' : 'Go to anything by name, id, e-mail address or comment'}
            size="md"
            spellCheck={false}
            autoComplete="off"
            leftSection={<IconSearch size={18} aria-hidden />}
            rightSection={isSearching ? <Loader size="xs" /> : null}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyUp={() => setSelected(document.querySelector(`#${RESULTS} [data-combobox-selected]`)?.id)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options id={RESULTS} aria-label="Results" className={classes.results}>
          {groups.map((group) => (
            <Combobox.Group key={group} label={group}>
              {entries
                .filter((entry) => entry.group === group)
                .map(({ id, content }) => (
                  <Combobox.Option key={id} value={id}>
                    {content}
                  </Combobox.Option>
                ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox>
      {error !== null && <Failure error={error} />}
      <Text size="sm" c="dimmed" role="status" px="xs" pt="xs">
        {statusOf(typed.trim(), { count: entries.length, isSearching, hasKey: apiKey !== undefined, isGiving })}
      </Text>
      <Group gap="xs" visibleFrom="sm" px="xs" pt="xs" c="dimmed" fz="xs" aria-hidden>
        <Kbd size="xs">↑</Kbd>
        <Kbd size="xs">↓</Kbd> select <Kbd size="xs">Enter</Kbd> open <Kbd size="xs">Esc</Kbd> close
      </Group>
    </>
  )
}

interface Status {
  count: number
  isSearching: boolean
  hasKey: boolean
  isGiving: boolean
}

/** Says which records were searched if nothing was found. Screen readers also get the number of results. */
function statusOf(typed: string, { count, isSearching, hasKey, isGiving }: Status): string {
  if (isSearching) return 'Searching…'
  if (count > 0) return typed === '' ? '' : `${count} found`
  if (isGiving) return typed === '' ? '' : `Nothing found for “${typed}” among organizations, folders and documents.`
  const searched = hasKey
    ? 'organizations, users, groups, folders, documents, threads, views and actions'
    : 'API keys and views'
  return `Nothing found for “${typed}” among ${searched}. Ids, names, e-mail addresses and comments are searched.`
}

function useEntries(apiKey: string | undefined, typed: string, isGiving: boolean) {
  const { workspaceId } = useSession()
  const isWorkspace = workspaceId !== undefined
  const refusalOf = useRefusals()
  const isAllowed = ({ needs = [] }: PaletteCommand) => refusalOf(needs) === undefined
  const key = apiKey === undefined ? undefined : keyOf(apiKey)
  const { found, isSearching, error } = useFound(key, typed, isGiving ? { kinds: [...WITH_ACCESS] } : {})
  const text = typed.trim()
  const keys = useQuery({ ...keySearchQuery(text.slice(0, 200)), enabled: isWorkspace && !isGiving && text !== '' })
  const results = apiKey === undefined ? [] : found.map((one) => resultEntry(apiKey, one, isGiving))
  if (isGiving) return { entries: results, isSearching, error }
  const entries: Entry[] = [
    ...matching(actionsOf(apiKey, isWorkspace).filter(isAllowed), typed).map((command) =>
      commandEntry('Actions', command),
    ),
    ...results,
    ...(text === '' ? [] : (keys.data ?? [])).map(
      (one): Entry => ({
        id: `key ${one.id}`,
        group: 'API keys',
        to: { to: '/keys/$apiKey', params: { apiKey: one.id } },
        content: (
          <span className={classes.entry}>
            <IconKey size={16} aria-hidden /> <bdi>{nameOf(one)}</bdi>
            <Text span size="xs" c="dimmed">
              <Id copy={false}>{one.id}</Id>
            </Text>
            <EnvironmentBadge apiKey={one.id} />
          </span>
        ),
      }),
    ),
    ...matching(viewsOf(apiKey, isWorkspace).filter(isAllowed), typed).map((command) => commandEntry('Views', command)),
  ]
  return { entries, isSearching: isSearching || keys.isLoading, error: error ?? keys.error }
}

const resultEntry = (apiKey: string, found: Found, isGiving: boolean): Entry => ({
  id: JSON.stringify([found.kind, found.organizationId, found.documentId, found.id]),
  group: 'Results',
  content: <FoundOption found={found} />,
  to: (isGiving ? givingAccessTo(apiKey, found) : undefined) ?? destinationOf(apiKey, found),
})

const commandEntry = (group: string, { label, Icon, to }: PaletteCommand): Entry => ({
  id: `${group} ${label}`,
  group,
  to,
  content: (
    <span className={classes.entry}>
      <Icon size={16} aria-hidden /> {label}
    </span>
  ),
})
