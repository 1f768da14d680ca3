/** Compares another API key of the workspace with this one, and copies selected settings to it. */

import { Alert, Checkbox, Group, List, Skeleton, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { openedBy, type Promotion } from '#sdk/shared/promotion.ts'
import { EveryoneNote } from '../../components/access/everyone.tsx'
import { ListPicker } from '../../components/combobox/list-picker.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { ProductionNote } from '../../components/page/environment.tsx'
import { Section } from '../../components/page/section.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { useAddress } from '../../links/use-address.ts'
import { plural } from '../../plural.ts'
import { differencesQuery, promote } from '../../queries/keys/key-settings.ts'
import { keysQuery } from '../../queries/keys/keys.ts'
import { keyOf } from '../../session/session.ts'
import { useKey } from '../../session/use-session.ts'
import { nameOf } from '../../shell/key-switcher.tsx'
import { DifferenceTable, idOf, settingIn } from './difference-table.tsx'

/** The operations that promoting may call, depending on the differences. */
const PROMOTES = [
  'key-config.update',
  'domains.add',
  'domains.delete',
  'email-config.update',
  'webhook-config.update',
  'advanced-webhook-config.update',
  'permission-provider-config.update',
  'notification-config.update',
  'activity-config.update',
  'webhook-endpoints.create',
  'webhook-endpoints.update',
  'webhook-endpoints.delete',
] as const

export function CompareView() {
  return (
    <WorkspaceOnly>
      <Compare />
    </WorkspaceOnly>
  )
}

function Compare() {
  const key = useKey()
  const [{ with: other }, change] = useAddress(useSearch({ from: '/keys/$apiKey/settings/compare' }))
  const [removes, setRemoves] = useState(false)
  const { data: keys = [] } = useQuery(keysQuery)
  const others = keys.filter(({ id }) => id !== key.id)
  const name = (id: string) => keys.filter((one) => one.id === id).map(nameOf)[0] ?? id
  return (
    <Section
      title="Compare and promote"
      intro="Shows how another key differs from this one in settings, domains, e-mail, webhooks and endpoints, and copies what you select to the other key. Secrets are never copied. Organizations, users and grants are not settings, so they are not compared."
    >
      <Group align="end">
        <ListPicker
          label="Compare with"
          placeholder={others.length === 0 ? 'No other API keys' : 'Select an API key'}
          floating
          w={{ base: '100%', sm: 320 }}
          nothing="No matching API keys"
          items={others.map((one) => ({
            key: one.id,
            label: nameOf(one),
            content: (
              <span>
                <bdi>{nameOf(one)}</bdi> ({one.type})
              </span>
            ),
          }))}
          value={other}
          onChange={(id) => change(() => ({ with: id }))}
        />
        <Checkbox
          mb={8}
          label="Also remove settings that only the other key has"
          checked={removes}
          onChange={({ currentTarget }) => setRemoves(currentTarget.checked)}
        />
      </Group>
      {other !== undefined && (
        <Differences key={`${other} ${removes}`} other={other} removes={removes} names={[name(key.id), name(other)]} />
      )}
    </Section>
  )
}

interface DifferencesProps {
  other: string
  removes: boolean
  /** The names of this key and the other one. */
  names: readonly [string, string]
}

function Differences({ other, removes, names }: DifferencesProps) {
  const target = keyOf(other)
  const { data, error, refetch } = useQuery(differencesQuery(useKey(), target, removes))
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>()
  const [done, setDone] = useState<readonly string[]>([])
  const applying = useMutation({
    ...promote(target, (difference) => setDone((before) => [...before, settingIn(difference)])),
    onMutate: () => setDone([]),
    onSuccess: (_nothing, applied) => {
      setChosenIds(undefined)
      notifications.show({ message: `${plural(applied.length, 'change')} applied.` })
    },
    onError: () => refetch(),
  })
  if (error !== null && data === undefined) return <Failure error={error} />
  if (data === undefined) return <Skeleton height={200} />
  const { differences } = data
  const selected = differences.filter((difference) => chosenIds?.has(idOf(difference)))
  const opens = openedBy(selected)
  return (
    <Stack gap="md">
      {differences.length === 0 ? (
        <Text size="sm">
          <bdi>{names[1]}</bdi> already matches <bdi>{names[0]}</bdi>.
        </Text>
      ) : (
        <>
          <DifferenceTable
            differences={differences}
            names={names}
            chosen={chosenIds ?? new Set()}
            onChoose={setChosenIds}
          />
          <Stack gap="md" role="status">
            {selected.length > 0 && <ProductionNote apiKey={other} />}
            {opens !== undefined && <EveryoneNote title={opens} />}
          </Stack>
          <Group>
            <PermittedButton
              needs={PROMOTES}
              apiKey={other}
              disabled={selected.length === 0}
              loading={applying.isPending}
              onClick={() => applying.mutate(selected)}
            >
              {selected.length === 0 ? 'Select changes to promote' : `Apply ${selected.length} to ${names[1]}`}
            </PermittedButton>
          </Group>
        </>
      )}
      {done.length > 0 && <Report done={done} of={applying.variables?.length ?? 0} name={names[1]} />}
      {applying.error !== null && <Failure error={applying.error} />}
      <Remaining promotion={data} name={names[1]} />
    </Stack>
  )
}

interface ReportProps {
  /** The settings that are applied. */
  done: readonly string[]
  /** How many were to be applied. */
  of: number
  name: string
}

/** Lists what was applied, also while others are, and after one of them failed. */
const Report = ({ done, of, name }: ReportProps) => (
  <Listed role="status" items={done}>
    {done.length.toLocaleString('en')} of {plural(of, 'change')} made to <bdi>{name}</bdi>
  </Listed>
)

/** Lists what has to be done by hand, and what stays as it is. */
const Remaining = ({ promotion: { byHand, onlyInTarget }, name }: { promotion: Promotion; name: string }) => (
  <>
    {byHand.length > 0 && <Listed items={byHand}>Left for you to do</Listed>}
    {onlyInTarget.length > 0 && (
      <Listed items={onlyInTarget}>
        Only in <bdi>{name}</bdi>, and kept
      </Listed>
    )}
  </>
)

interface ListedProps {
  items: readonly string[]
  role?: 'status'
  /** The title. */
  children: ReactNode
}

const Listed = ({ items, children, ...role }: ListedProps) => (
  <Alert color="gray" c="inherit" title={children} {...role}>
    <List size="sm" style={{ overflowWrap: 'anywhere' }}>
      {items.map((item) => (
        <List.Item key={item}>
          <bdi>{item}</bdi>
        </List.Item>
      ))}
    </List>
  </Alert>
)
