/** The filters of threads, which are in the address. */
import { Group, NativeSelect, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { FILTER_WIDTH, OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { Picker } from '../../components/search/picker.tsx'
import type { ThreadFilter } from '../../queries/resources/threads.ts'

/** Two of them are as wide as a phone. */
const HALF_WIDTH = { base: 'calc(50% - 0.5rem)', xs: 150 } as const

const DEBOUNCE_MS = 300
/** The longest text that the API takes. */
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
        w={FILTER_WIDTH}
        value={organizationId}
        onChange={(id) => onChange({ organizationId: id, documentId: undefined })}
      />
      <Picker
        label="Document"
        placeholder="All documents"
        w={FILTER_WIDTH}
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
        w={FILTER_WIDTH}
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
          w={FILTER_WIDTH}
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
        w={HALF_WIDTH}
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
        placeholder="Such as P1"
        width={HALF_WIDTH}
        value={filter.priority ?? ''}
        onChange={(priority) => onChange({ priority: priority.trim() === '' ? undefined : priority.trim() })}
      />
      <TextFilter
        label="Text"
        placeholder="In a comment"
        width={FILTER_WIDTH}
        value={filter.text ?? ''}
        onChange={(text) => onChange({ text: text === '' ? undefined : text })}
      />
    </Group>
  )
}

interface TextFilterProps {
  label: string
  placeholder: string
  width: TextInputProps['w']
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
      w={width}
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
