/** A user: profile, memberships, access, what has happened to it, tokens, and data protection. */
import { Grid, Group, Paper, Stack, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Failure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { GiveAccess } from '../../components/people/give-access.tsx'
import { PermittedLink } from '../../components/permitted/permitted.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { Id } from '../../components/values/id.tsx'
import { AnchorLink, ButtonLink } from '../../links/links.tsx'
import { CHANGES } from '../../links/paths.ts'
import { useRows } from '../../queries/pages/use-rows.ts'
import { userDataQuery } from '../../queries/users/user-data.ts'
import { useRefusal } from '../../session/permission.ts'
import { useKey } from '../../session/use-session.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { shownName } from '../../shown-name.ts'
import { LatestEvents } from '../events/latest-events.tsx'
import { AccessibleResources } from './accessible-resources.tsx'
import { AccountState } from './account-state.tsx'
import { Leaver } from './leaver.tsx'
import { Memberships } from './memberships.tsx'
import { NotificationLevels } from './notification-levels.tsx'
import { Profile } from './profile.tsx'
import { ProfileForm } from './profile-form.tsx'
import { Tokens } from './tokens.tsx'
import { UserData } from './user-data.tsx'

/** Pages of the user's data: each organization starts a new page, and pages can be empty. */
const READ_AT_ONCE = 8

const EVENTS_SHOWN = 5

export function UserView() {
  const key = useKey()
  const { userId, organizationId, folderId } = useSearch({ from: '/keys/$apiKey/users/user' })
  const mayReadEvents = useRefusal('events.list') === undefined
  const [giving, { open: give, close: closeGiving }] = useDisclosure()
  const [editing, { open: edit, close: closeEditing }] = useDisclosure()
  const userData = useRows({ ...userDataQuery(key, userId), enabled: userId !== '' })
  const { loaded: pages, request, error } = userData
  const profile = pages[0]?.profile ?? undefined
  const disabled = pages[0]?.disabled
  const isKnown = pages.length > 0
  const [readTo, setReadTo] = useState(READ_AT_ONCE)
  useEffect(() => request(0, readTo - 1), [request, readTo])
  if (userId === '')
    return (
      <NotFound
        action={
          <ButtonLink to="/keys/$apiKey/users" params={{ apiKey: key.id }} variant="default">
            Users
          </ButtonLink>
        }
      >
        The URL contains no user id.
      </NotFound>
    )
  const name = typeof profile?.name === 'string' ? profile.name : undefined
  const title = shownName(name, userId)
  const changesIn = organizationId ?? pages.find(({ organizationId }) => organizationId)?.organizationId
  // Changes are those in one organization: before it is known, the page of changes would ask for it.
  const isSought =
    changesIn === undefined && error === null && (!isKnown || (userData.hasMore && pages.length < READ_AT_ONCE))
  return (
    <Page
      title={title}
      crumbs={[
        <AnchorLink
          key="users"
          to="/keys/$apiKey/users"
          params={{ apiKey: key.id }}
          size="sm"
          activeOptions={{ exact: true }}
        >
          Users
        </AnchorLink>,
      ]}
      intro={<Id>{userId}</Id>}
      actions={
        <>
          {isSought ? (
            <PermittedButton needs="events.list" variant="default" disabled>
              Changes
            </PermittedButton>
          ) : (
            <PermittedLink
              needs="events.list"
              variant="default"
              to={CHANGES}
              params={{ apiKey: key.id }}
              search={{ userId, organizationId: changesIn ?? '' }}
            >
              Changes
            </PermittedLink>
          )}
          <PermittedButton needs="profiles.set" variant="default" onClick={edit} disabled={!isKnown}>
            {profile === undefined ? 'Add profile' : 'Edit profile'}
          </PermittedButton>
          <PermittedButton needs="grants.add" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={give}>
            Give access
          </PermittedButton>
        </>
      }
    >
      {error !== null && <Failure error={error} />}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            <Part title="State">
              <AccountState userId={userId} name={name} disabled={disabled} />
            </Part>
            <Part title="Profile">
              <Profile profile={profile} known={isKnown} />
            </Part>
            <Part title="Tokens">
              <Tokens userId={userId} name={name} pages={pages} />
            </Part>
            <Part title="Leaving">
              <Leaver userId={userId} name={title} />
            </Part>
            <Part title="User data">
              <UserData userId={userId} />
            </Part>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            <Part title="Organizations, grants and groups">
              <Memberships
                userId={userId}
                name={name}
                userData={userData}
                onLoadMore={() => setReadTo(userData.count + 1)}
              />
            </Part>
            <Part title="Access" id="access">
              <AccessibleResources
                userId={userId}
                isDisabled={disabled === true}
                isLoadingOrganizations={userData.isLoading}
                known={
                  organizationId ?? pages.find(({ organizationId }) => organizationId !== undefined)?.organizationId
                }
                folderId={folderId}
              />
            </Part>
            {mayReadEvents && (
              <Part
                title="Latest events"
                action={
                  <AnchorLink size="sm" to="/keys/$apiKey/events" params={{ apiKey: key.id }} search={{ userId }}>
                    All events of this user
                  </AnchorLink>
                }
              >
                <LatestEvents
                  count={EVENTS_SHOWN}
                  about={{ userId }}
                  empty="Changes to the user’s access, groups, profile and tokens appear here."
                />
              </Part>
            )}
            <Part title="Notifications">
              <NotificationLevels
                userId={userId}
                known={
                  organizationId ?? pages.find(({ organizationId }) => organizationId !== undefined)?.organizationId
                }
              />
            </Part>
          </Stack>
        </Grid.Col>
      </Grid>
      {giving && <GiveAccess holder={{ userId }} name={name} organizationId={organizationId} onClose={closeGiving} />}
      {editing && <ProfileForm user={{ ...profile, userId }} organizationId="" onClose={closeEditing} />}
    </Page>
  )
}

interface PartProps {
  title: string
  id?: string
  action?: ReactNode
  children: ReactNode
}

function Part({ title, id, action, children }: PartProps) {
  return (
    <Paper withBorder p="md" component="section" id={id} aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" align="baseline" gap="xs">
          <Title order={2} size="h4">
            {title}
          </Title>
          {action}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
