/** The people who manage the workspace: roles, invitations, removals, and the sessions of all. */

import { Skeleton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Operator } from '#sdk/generated/operations.ts'
import { Failure } from '../../components/feedback/failure.tsx'
import { Confirmation } from '../../components/forms/confirmation.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { WorkspaceOnly } from '../../components/page/workspace-only.tsx'
import { OperatorName } from '../../components/people/operator-name.tsx'
import { SessionTable } from '../../components/people/session-table.tsx'
import { PermittedOnly } from '../../components/permitted/permitted.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { operatorsQuery, removeOperator } from '../../queries/account/operators.ts'
import { deletionOf } from '../../queries/pages/deletion.ts'
import { InvitePerson } from './invite-person.tsx'
import { PeopleTable } from './people-table.tsx'

export function PeopleView() {
  const [inviting, setInviting] = useState(false)
  return (
    <Page
      title="People"
      intro="Everybody who manages this workspace, with a role. Events name the person. Programs use tokens instead."
      actions={
        <PermittedButton
          needs="operators.invite"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setInviting(true)}
        >
          Invite
        </PermittedButton>
      }
    >
      <WorkspaceOnly>
        <PermittedOnly needs="operators.get">
          <People />
        </PermittedOnly>
        <Section title="Sessions" intro="Who is signed in to the console now.">
          <SessionTable />
        </Section>
        {inviting && <InvitePerson onClose={() => setInviting(false)} />}
      </WorkspaceOnly>
    </Page>
  )
}

function People() {
  const { data: people, error } = useQuery(operatorsQuery)
  const [removed, remove] = useState<Operator>()
  if (error !== null && people === undefined) return <Failure error={error} />
  if (people === undefined) return <Skeleton height={120} />
  return (
    <>
      <PeopleTable people={people} onRemove={remove} />
      {removed !== undefined && <RemovePerson person={removed} onClose={() => remove(undefined)} />}
    </>
  )
}

export function RemovePerson({ person, onClose }: { person: Operator; onClose: () => void }) {
  const remove = useMutation({
    ...removeOperator,
    onSuccess: (removal) => {
      notifications.show({ message: deletionOf(person.name, removal, 'removed'), role: 'status' })
      onClose()
    },
  })
  return (
    <Confirmation
      needs="operators.remove"
      title={`Remove ${person.name}`}
      action="Remove"
      danger
      error={remove.error}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ operatorId: person.id })}
      onClose={onClose}
    >
      <OperatorName {...person} /> is signed out everywhere at once, and their links and passkeys no longer work. Tokens
      that they created or copied remain valid. Events keep their name.
    </Confirmation>
  )
}
