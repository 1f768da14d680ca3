/** A field that selects users. The server searches by id, name and address; unknown users are entered by their full id. */
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { searchUsersQuery, userProfilesQuery } from '../../queries/access/people.ts'
import type { Picked } from '../../recent.ts'
import { useKey } from '../../session/use-session.ts'
import { ManyPicker } from '../search/many-picker.tsx'
import { DEBOUNCE_MS, useFound } from '../search/use-found.ts'

const OFFERED_MAX = 50

/** Returns users with a profile, and users of the organization, who may have none; before anything is typed, the latter. */
function useUserSearch(organizationId: string, typed: string) {
  const key = useKey()
  const text = typed.trim()
  const profiles = useFound(key, text, { kinds: ['user'] })
  const [query] = useDebouncedValue(text, DEBOUNCE_MS)
  const members = useQuery({ ...searchUsersQuery(key, organizationId, query), enabled: organizationId !== '' })
  const isPending = profiles.isPending || query !== text || members.isLoading
  const exact = profiles.found.filter(({ near }) => near !== true)
  const more: Picked[] = (members.data ?? []).map(({ userId, name, email }) => ({
    kind: 'user',
    id: userId,
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
  }))
  const all = more.length === 0 ? profiles.found : [...exact, ...more]
  // The first that has an id is kept: profiles are the best matches first.
  const found = [...Map.groupBy(all, ({ id }) => id).values()].flatMap(([first]) => first ?? [])
  return { found: found.slice(0, OFFERED_MAX), isPending, error: profiles.error ?? members.error }
}

interface UsersFieldProps {
  organizationId: string
  value: string[]
  onChange: (userIds: string[]) => void
  error?: string | undefined
  /** Whether the field has the focus when its dialog opens. */
  autofocus?: boolean
}

export function UsersField({ organizationId, value, onChange, error, autofocus = true }: UsersFieldProps) {
  const [typed, setTyped] = useState('')
  const search = useUserSearch(organizationId, typed)
  const [initial] = useState(value)
  const { data: initialProfiles } = useQuery(userProfilesQuery(useKey(), initial))
  return (
    <ManyPicker
      label="Users"
      description="Search by id, name or e-mail address, or enter the full id of a new user."
      placeholder="Select users"
      data-autofocus={autofocus || undefined}
      kind="user"
      takesTyped
      value={value}
      onChange={onChange}
      typed={typed}
      onType={setTyped}
      search={search}
      nameOf={(id) => initialProfiles?.get(id)?.name}
      error={error}
    />
  )
}
