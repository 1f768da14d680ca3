/** The decision in one sentence, and the evaluation path that led to it. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { type RefObject, useEffect, useRef } from 'react'
import type { Explanation } from '#sdk/generated/operations.ts'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { UserLink } from '../../components/people/user-link.tsx'
import { PermittedLink } from '../../components/permitted/permitted.tsx'
import { NotAddedWarning } from '../../components/resources/not-added-warning.tsx'
import { AnchorLink, ButtonLink } from '../../links/links.tsx'
import type { WhySearch } from '../../links/searches.ts'
import type { Found } from '../../queries/search.ts'
import { searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { shownName } from '../../shown-name.ts'
import { useFixing } from '../access/change/use-fixing.tsx'
import { Alternatives } from './alternatives.tsx'
import classes from './answer.module.css'
import { DidYouMean } from './did-you-mean.tsx'
import { EvaluationPath } from './evaluation-path.tsx'
import { NamedSentence } from './named-sentence.tsx'
import { useThings } from './named-things.ts'
import { NearGrants } from './near-grants.tsx'

interface AnswerProps {
  question: WhySearch
  /** Undefined for a user without a name. */
  userName: string | undefined
  /** Users with a similar id, if no user has the given one. */
  similarUsers: readonly Found[]
  explanation: Explanation
  /** Whether an answer takes the focus. Set once one is shown, so the next one does. */
  movesFocus: RefObject<boolean>
}

export function Answer({ question, userName, similarUsers, explanation, movesFocus }: AnswerProps) {
  const apiKey = useKey().id
  const { userId, organizationId, id, type } = question
  const { decision, afterwards, chain, rule, nearGrants } = explanation
  const { allowed, accessRole, expiresAt, migratedTo } = decision
  const things = useThings(question, userName, explanation)
  const fixing = useFixing()
  const decided = useRef<HTMLElement>(null)
  useEffect(() => {
    if (movesFocus.current) decided.current?.focus()
    movesFocus.current = true
  }, [movesFocus])
  const Icon = allowed ? IconCircleCheck : IconCircleX
  return (
    <Stack gap="md">
      {fixing.note}
      <Paper ref={decided} tabIndex={-1} withBorder p="md" component="section" aria-label="Decision">
        <Group gap="md" align="start" wrap="nowrap">
          <Icon size={32} aria-hidden className={allowed ? classes.yes : classes.no} />
          <Stack gap="xs" miw={0}>
            <Group gap="xs">
              <RoleBadge
                role={allowed ? accessRole : undefined}
                {...(expiresAt !== undefined && { expiresAt: expiresAt * 1000 })}
                {...(afterwards && { afterwards: afterwards.accessRole ?? 'no access' })}
              />
              <UserLink userId={userId} name={userName} />
            </Group>
            <Text fw={500} className={classes.sentence}>
              <NamedSentence things={things}>{rule.sentence}</NamedSentence>
            </Text>
            <Text size="sm" c="dimmed">
              Rule {rule.number} of 6: <NamedSentence things={[]}>{rule.condition}</NamedSentence>
            </Text>
            {migratedTo !== undefined && (
              <AnchorLink
                size="sm"
                to="/keys/$apiKey/why"
                params={{ apiKey }}
                search={{ organizationId, type, id: migratedTo, userId }}
              >
                Check the document under its new id
              </AnchorLink>
            )}
          </Stack>
        </Group>
      </Paper>
      <DidYouMean question={question} explanation={explanation} users={similarUsers} />
      {nearGrants !== undefined && (
        <NearGrants organizationId={organizationId} user={shownName(userName, userId)} grants={nearGrants} />
      )}
      {chain.length > 0 && (
        <>
          <Alternatives explanation={explanation} things={things} onStart={fixing.start} />
          <Group>
            <ButtonLink
              variant="default"
              to="/keys/$apiKey/access"
              params={{ apiKey }}
              search={searchOf(organizationId, { type, id })}
            >
              Who has access
            </ButtonLink>
            {decision.reason === 'disabled' ? (
              // No grant would change the decision.
              <WhereEnabled organizationId={organizationId} chain={chain} />
            ) : decision.reason === 'user_disabled' ? (
              <ButtonLink variant="default" to="/keys/$apiKey/users/user" params={{ apiKey }} search={{ userId }}>
                Go to the user to enable them
              </ButtonLink>
            ) : (
              <PermittedLink
                needs="grants.add"
                variant="default"
                to="/keys/$apiKey/access"
                params={{ apiKey }}
                search={{ ...searchOf(organizationId, { type, id }), give: userId }}
              >
                {allowed ? 'Change access of this user' : 'Give access to this user'}
              </PermittedLink>
            )}
          </Group>
          <NotAddedWarning organizationId={organizationId} resource={{ type, id }} />
          <Title order={2} size="h4">
            Evaluation path
          </Title>
          <EvaluationPath
            organizationId={organizationId}
            explanation={explanation}
            userId={userId}
            userName={userName}
          />
        </>
      )}
      {fixing.dialog}
    </Stack>
  )
}

/** Links to the list where the disabled resource can be enabled again. */
function WhereEnabled({ organizationId, chain }: { organizationId: string; chain: Explanation['chain'] }) {
  const params = { apiKey: useKey().id }
  const [, parent] = chain
  if (chain.some(({ type, disabled }) => type === 'organization' && disabled))
    return (
      <ButtonLink variant="default" to="/keys/$apiKey/organizations" params={params}>
        Go to organizations to enable it
      </ButtonLink>
    )
  return (
    <ButtonLink
      variant="default"
      to="/keys/$apiKey/organizations/resources"
      params={params}
      search={{ organizationId, ...(parent?.type === 'folder' && { folderId: parent.id }) }}
    >
      Go to its folder to enable it
    </ButtonLink>
  )
}
