/** The account of the person who is signed in: role, passkeys, mail and sessions. */
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { SessionTable } from '../../components/people/session-table.tsx'
import { Breakable } from '../../components/values/breakable.tsx'
import { Facts } from '../../components/values/facts.tsx'
import { useSession } from '../../session/use-session.ts'
import { labelOf, ROLE_TEXTS } from '../people/roles.ts'
import { Passkeys } from './passkeys.tsx'
import { WeeklyMail } from './weekly-mail.tsx'

export function AccountView() {
  const { operator } = useSession()
  if (operator === undefined)
    return (
      <Page title="Your account">
        <EmptyState title="You are signed in with a token">
          Sign in as a person, with a link or a passkey, to have an account.
        </EmptyState>
      </Page>
    )
  const { id, name, email, role } = operator
  return (
    <Page title="Your account">
      <Facts
        label="Account"
        facts={[
          ['Name', <bdi key="name">{name}</bdi>],
          [
            'E-mail address',
            <bdi key="email">
              <Breakable>{email}</Breakable>
            </bdi>,
          ],
          ['Role', `${labelOf(role)}. ${ROLE_TEXTS[role]}`],
        ]}
      />
      <Passkeys />
      <WeeklyMail operatorId={id} />
      <Section
        title="Sessions"
        intro="Where you are signed in. Sessions end after twelve hours without use, and after seven days."
      >
        <SessionTable of={id} />
      </Section>
    </Page>
  )
}
