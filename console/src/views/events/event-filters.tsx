/** The form that filters the events. */
import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { EventFilter, ResourceType } from '#sdk/generated/operations.ts'
import { ListMany } from '../../components/combobox/list-picker.tsx'
import { FormFault } from '../../components/feedback/failure.tsx'
import { DateTimeInput } from '../../components/forms/date-time-input.tsx'
import { IdPicker } from '../../components/search/id-picker.tsx'
import { EVENT_FAMILIES, EVENT_TYPES } from '../../generated/event-types.ts'
import { useReadableOperators } from '../../queries/account/operators.ts'
import type { FoundKind } from '../../queries/search.ts'
import { type EventSearch, eventSearch } from './event-search.ts'

const optionsOf = (group: string, types: readonly string[]) =>
  types.map((type) => ({ key: type, label: type, group, content: type }))
const TYPES = [...optionsOf('Families', EVENT_FAMILIES), ...optionsOf('Types', EVENT_TYPES)]
const RESOURCES = [
  { value: '', label: 'any resource' },
  { value: 'organization', label: 'organization' },
  { value: 'folder', label: 'folder' },
  { value: 'document', label: 'document' },
]

/** Checks that a folder or document is named by its organization and its id. */
function faultOf({ resourceType, resourceId, organizationId, from, to }: EventSearch): string | undefined {
  if (resourceType !== undefined && resourceId === undefined) return `Enter the id of the ${resourceType}.`
  if (resourceType === undefined && resourceId !== undefined) return 'Select the type of the resource.'
  if (resourceType !== undefined && resourceType !== 'organization' && organizationId === undefined)
    return `Enter the organization of the ${resourceType}.`
  return from !== undefined && to !== undefined && from >= to ? 'The start must be before the end.' : undefined
}

const resourceKinds = (type: unknown): readonly FoundKind[] =>
  type === 'organization' || type === 'folder' || type === 'document' ? [type] : ['organization', 'folder', 'document']

export function EventFilters({ search, onShow }: { search: EventSearch; onShow: (search: EventSearch) => void }) {
  const [values, setValues] = useState<Record<string, unknown>>({ ...search })
  const [fault, setFault] = useState<string>()
  // Sessions of an API key, and roles that may not read the list of people, filter by auth token alone.
  const people = useReadableOperators()
  const change = (fields: object) => setValues({ ...values, ...fields })
  const changeTime = (fields: object) => change({ ...fields, period: undefined })
  const id = (field: 'organizationId' | 'userId' | 'resourceId') => ({
    value: String(values[field] ?? ''),
    onChange: (chosen: string) => change({ [field]: chosen }),
  })
  const text = (field: 'by') => ({
    value: String(values[field] ?? ''),
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change({ [field]: currentTarget.value }),
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    const wanted = eventSearch(values)
    const wrong = faultOf(wanted)
    setFault(wrong)
    if (wrong === undefined) onShow(wanted)
  }
  return (
    <form onSubmit={submit} noValidate aria-label="Filter">
      <Stack gap="sm">
        <ListMany
          label="Types"
          placeholder="all"
          nothing="No matching types"
          items={TYPES}
          value={(values.types as EventFilter[] | undefined) ?? []}
          onChange={(types) => change({ types: types.length === 0 ? undefined : types })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <IdPicker label="Organization" placeholder="name or id" kinds={['organization']} {...id('organizationId')} />
          <NativeSelect
            label="Resource"
            data={RESOURCES}
            value={String(values.resourceType ?? '')}
            onChange={({ currentTarget }) => change({ resourceType: currentTarget.value as ResourceType | '' })}
          />
          <IdPicker
            label="Resource id"
            placeholder="name or id"
            kinds={resourceKinds(values.resourceType)}
            organizationId={String(values.organizationId ?? '')}
            {...id('resourceId')}
          />
          <IdPicker label="User" placeholder="name or id" kinds={['user']} {...id('userId')} />
          {people.length > 0 && (
            <NativeSelect
              label="By person"
              data={[{ value: '', label: 'anybody' }, ...people.map(({ id, name }) => ({ value: id, label: name }))]}
              value={String(values.operatorId ?? '')}
              onChange={({ currentTarget }) => change({ operatorId: currentTarget.value })}
            />
          )}
          <TextInput label="By auth token" placeholder="name" {...text('by')} />
          <DateTimeInput
            label="From"
            value={values.from as number | undefined}
            onChange={(from) => changeTime({ from })}
          />
          <DateTimeInput label="Before" value={values.to as number | undefined} onChange={(to) => changeTime({ to })} />
        </SimpleGrid>
        <FormFault>{fault}</FormFault>
        <Group gap="xs">
          <Button type="submit">Apply</Button>
          <Button variant="default" onClick={() => onShow({})}>
            Clear
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
