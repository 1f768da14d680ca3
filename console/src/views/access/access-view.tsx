/** The access page of an organization, folder or document: who has access, why, and how to change it. */
import { Title } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { EveryoneNote } from '../../components/access/everyone.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Loading } from '../../components/feedback/loading.tsx'
import { Note } from '../../components/feedback/note.tsx'
import { Page } from '../../components/page/page.tsx'
import { RemoveMember } from '../../components/people/remove-member.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { NotAddedWarning } from '../../components/resources/not-added-warning.tsx'
import { OthersInside } from '../../components/resources/others-inside.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { selectedRows } from '../../components/tables/selection.tsx'
import { type Chain, chainQuery } from '../../queries/access/access.ts'
import { type PermittedUser, peopleQuery } from '../../queries/access/people.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { nameOfResource, searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { AccessTypeCard } from './access-type-card.tsx'
import { AppliedNote } from './change/applied-note.tsx'
import type { Place } from './change/change.ts'
import { ChangeDialog, type PendingChange } from './change/change-dialog.tsx'
import type { Applied } from './change/preview-step.tsx'
import { principalOf } from './change/principal.tsx'
import { ListedGrants } from './listed-grants.tsx'
import { PeopleTable } from './people-table.tsx'
import { PersonMenu } from './person-menu.tsx'
import { ResourceActions } from './resource-actions.tsx'
import { ResourceNotFound } from './resource-not-found.tsx'
import { SelectedPeople } from './selected-people.tsx'

export function AccessView() {
  const key = useKey()
  const search = useSearch({ from: '/keys/$apiKey/access' })
  const resource = nameOfResource(search)
  const { data, error } = useQuery({ ...chainQuery(key, resource), enabled: search.id !== '' })
  const opened = JSON.stringify(resource)
  // An open dialog stays when somebody deletes the resource meanwhile: applying says so.
  const [known, setKnown] = useState<{ opened: string; chain: Chain['chain'] }>()
  if (data !== undefined && data.chain.length > 0 && (known?.opened !== opened || known.chain !== data.chain))
    setKnown({ opened, chain: data.chain })
  const chain = known?.opened === opened ? known.chain : undefined
  if (error !== null && chain === undefined)
    return (
      <Page title={search.id}>
        <Failure error={error} />
      </Page>
    )
  if (search.id === '' || (data?.chain.length === 0 && chain === undefined))
    return <ResourceNotFound id={search.id} migratedTo={data?.migratedTo} />
  if (chain === undefined) return <Loading />
  const place = { key, organizationId: search.organizationId, resource, chain }
  return (
    <Access
      key={opened}
      place={place}
      chain={chain}
      isDeleted={data?.chain.length === 0}
      grantee={search.give ?? (search.giveGroup && principalOf({ groupId: search.giveGroup }))}
      giving={search.giving === true}
    />
  )
}

const NO_USERS: ReadonlyMap<string, PermittedUser> = new Map()

interface AccessProps {
  place: Place
  chain: Chain['chain']
  /** Deleted since the page was opened, or migrated. */
  isDeleted: boolean
  /** The user or user group for whom the link opens the dialog "Give access". */
  grantee: string | undefined
  /** The link opens it without a user. */
  giving: boolean
}

function Access({ place, chain, isDeleted, grantee, giving }: AccessProps) {
  const { key, organizationId, resource } = place
  const navigate = useNavigate()
  const [pending, setPending] = useState<PendingChange | undefined>(
    grantee === undefined ? undefined : { kind: 'give', principals: [grantee] },
  )
  useEffect(() => {
    if (giving) setPending({ kind: 'give' })
  }, [giving])
  const [applied, setApplied] = useState<Applied>()
  const [removed, askToRemove] = useState<PermittedUser>()
  const [selected, select] = useState<ReadonlyMap<string, PermittedUser>>(NO_USERS)
  const people = useRows(peopleQuery(key, organizationId, resource))
  const boundary = chain.find(({ boundary }) => boundary)
  const everyoneRole = chain.some(({ disabled }) => disabled) ? undefined : boundary?.defaultAccessRole
  const selectedUsers = selectedRows(selected, people, ({ userId }) => userId)
  // Reloading the page, or coming back to it, must not open the dialog of the link again.
  function closeDialog(): void {
    setPending(undefined)
    if (grantee === undefined && !giving) return
    const search = searchOf(organizationId, resource)
    void navigate({ to: '/keys/$apiKey/access', params: { apiKey: key.id }, search, replace: true })
  }
  const giveButton = (
    <PermittedButton
      needs="grants.add"
      leftSection={<IconUserPlus size={16} aria-hidden />}
      onClick={() => setPending({ kind: 'give' })}
    >
      Give access
    </PermittedButton>
  )
  return (
    <Page
      title={shownName(chain[0]?.name, resource.id)}
      crumbs={chain
        .slice(1)
        .reverse()
        .map((entry) => (
          <ResourceLink key={`${entry.type} ${entry.id}`} organizationId={organizationId} resource={entry} />
        ))}
      intro={<bdi>{`${resource.type} ${resource.id}`}</bdi>}
      actions={
        <>
          <ResourceActions organizationId={organizationId} resource={resource} parent={chain[1]} />
          {!isDeleted && giveButton}
        </>
      }
    >
      {isDeleted ? (
        <Note tone="caution" title="Nothing has this id any more">
          It was deleted, or got another id, while this page was open.
        </Note>
      ) : (
        <>
          <NotAddedWarning organizationId={organizationId} resource={resource} />
          <AccessTypeCard
            organizationId={organizationId}
            chain={chain}
            onChange={() => setPending({ kind: 'accessType', current: chain[0]?.accessType ?? null })}
          />
          {applied !== undefined && (
            <AppliedNote
              key={JSON.stringify(applied)}
              place={place}
              applied={applied}
              onClose={() => setApplied(undefined)}
            />
          )}
          <Title order={2} size="h4">
            Who has access
          </Title>
          {everyoneRole !== undefined && (
            <EveryoneNote title={`Everyone has access, as ${everyoneRole}`}>
              It is public: users of the API key without a grant have this role. The list shows users with a grant here
              or above, and the role that it gives them.
            </EveryoneNote>
          )}
          {resource.type !== 'document' && <OthersInside organizationId={organizationId} resource={resource} />}
          <SelectedPeople selected={selectedUsers} onRevoke={(grants) => setPending({ kind: 'revoke', grants })} />
          <PeopleTable
            place={place}
            chain={chain}
            people={people}
            selection={{ rows: selected, onChange: select }}
            actions={(user) => (
              <PersonMenu place={place} user={user} onStart={setPending} onRemove={() => askToRemove(user)} />
            )}
            giveButton={giveButton}
          />
          <ListedGrants place={place} chain={chain} onStart={setPending} />
        </>
      )}
      {removed !== undefined && (
        <RemoveMember organizationId={organizationId} user={removed} onClose={() => askToRemove(undefined)} />
      )}
      {pending !== undefined && (
        <ChangeDialog
          place={place}
          pending={pending}
          onApplied={(change) => {
            setApplied(change)
            select(NO_USERS)
            closeDialog()
          }}
          onClose={closeDialog}
        />
      )}
    </Page>
  )
}
