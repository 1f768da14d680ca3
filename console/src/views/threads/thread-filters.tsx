/** The filters of threads, which are in the address. */
import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { Picker } from '../../components/search/picker.tsx'
import type { ThreadFilter } from '../../queries/resources/threads.ts'

const DEBOUNCE_MS = 300
/** As long as the API takes. */
const LENGTH_MAX = 100

interface ThreadFiltersProps {
  filter: ThreadFilter
  /** Undefined fields are removed. */
  onChange: (fields: { [Field in keyof ThreadFilter]?: ThreadFilter[Field] | undefined }) => void
}

export function ThreadFilters({ filter, onChange }: ThreadFiltersProps) {
  const { organizationId, documentId, userId, as = 'author', state = '' } = filter
  return (
    <Group align="end">
      <OrganizationSelect
        label="Organization"
        maw={240}
        value={organizationId}
        onChange={(id) => onChange({ organizationId: id, documentId: undefined })}
      />
      <Picker
        label="Document"
        placeholder="All documents"
        maw={240}
        floating
        clearable
        kinds={['document']}
        typedKind="document"
        organizationId={organizationId}
        value={documentId === undefined ? undefined : { kind: 'document', id: documentId }}
        onChange={(picked) => onChange({ documentId: picked?.id })}
      />
      <Picker
        label="Person"
        placeholder="Everybody"
        maw={240}
        floating
        clearable
        kinds={['user']}
        typedKind="user"
        value={userId === undefined ? undefined : { kind: 'user', id: userId }}
        onChange={(picked) => onChange({ userId: picked?.id })}
      />
      {userId !== undefined && (
        <NativeSelect
          label="Who"
          value={as}
          data={[
            { value: 'author', label: 'started the thread' },
            { value: 'mentioned', label: 'is mentioned in it' },
            { value: 'assigned', label: 'is its assignee' },
          ]}
          onChange={({ currentTarget }) =>
            onChange({
              as: currentTarget.value === 'author' ? undefined : (currentTarget.value as 'mentioned' | 'assigned'),
            })
          }
        />
      )}
      <NativeSelect
        label="Status"
        value={state}
        data={[
          { value: '', label: 'All' },
          { value: 'open', label: 'Not resolved' },
          { value: 'resolved', label: 'Resolved' },
        ]}
        onChange={({ currentTarget }) =>
          onChange({ state: currentTarget.value === '' ? undefined : (currentTarget.value as 'open' | 'resolved') })
        }
      />
      <TextFilter
        label="Priority"
        placeholder="Id, such as P1"
        width={130}
        value={filter.priority ?? ''}
        onChange={(priority) => onChange({ priority: priority.trim() === '' ? undefined : priority.trim() })}
      />
      <TextFilter
        label="Text"
        placeholder="In a comment"
        width={220}
        value={filter.text ?? ''}
        onChange={(text) => onChange({ text: text === '' ? undefined : text })}
      />
    </Group>
  )
}

interface TextFilterProps {
  label: string
  placeholder: string
  width: number
  value: string
  onChange: (value: string) => void
}

function TextFilter({ label, placeholder, width, value, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value)
  const changeSoon = useDebouncedCallback(onChange, DEBOUNCE_MS)
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      maw={width}
      maxLength={LENGTH_MAX}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        changeSoon(currentTarget.value)
      }}
    />
  )
}
