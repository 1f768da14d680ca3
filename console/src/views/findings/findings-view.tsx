/** The findings of an API key and its workspace, each with the change that fixes it, which is previewed first. */
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Finding } from '#sdk/generated/operations.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Loading } from '../../components/feedback/loading.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { SENDS_MAIL } from '../../page-data.ts'
import { accountFindingsQuery, findingsQuery } from '../../queries/keys/overview.ts'
import { useRefusal } from '../../session/permission.ts'
import { useKey, useSession } from '../../session/use-session.ts'
import { neededFor } from '../access/change/change.ts'
import { type Fix, fixOf, placeOf } from '../access/change/fix.ts'
import { useFixing } from '../access/change/use-fixing.tsx'
import classes from './findings-view.module.css'
import { ACCOUNT_KINDS, KINDS } from './kinds.ts'
import { AccountSubject, Subject } from './subjects.tsx'

/** The changes of access among the calls of a finding, with the labels of their buttons. */
interface LabelledFix extends Fix {
  label: string
}

const fixesOf = (finding: Finding): LabelledFix[] =>
  finding.calls.flatMap((call) => {
    const fix = fixOf(call)
    return fix === undefined ? [] : [{ ...fix, label: labelOf(fix, finding) }]
  })

function labelOf({ resource, change: { revoke, accessType } }: Fix, { kind, resource: subject }: Finding): string {
  if (revoke !== undefined) return 'Revoke…'
  if (accessType !== undefined) return accessType === null ? 'Follow the folder…' : 'Restrict…'
  if (resource.id !== subject?.id) return `Give on ${resource.id}…`
  if (resource.organizationId !== subject.organizationId) return `Give in ${resource.organizationId}…`
  return GIVING[kind] ?? 'Change…'
}

const GIVING: Partial<Record<Finding['kind'], string>> = {
  expired_lately: 'Give again…',
  guest_without_end: 'Set an end…',
  trainee_edits_everything: 'Make viewer…',
}

export function FindingsView() {
  const key = useKey()
  const { data, error } = useQuery(findingsQuery(key))
  const { workspaceId, operator } = useSession()
  const ofWorkspace = workspaceId !== undefined
  const mayGetMail = useRefusal('operators.update') === undefined && operator !== undefined && SENDS_MAIL
  const ofAccount = useQuery({ ...accountFindingsQuery, enabled: ofWorkspace })
  const { data: account = [] } = ofAccount
  const fixing = useFixing()
  const byKind = Map.groupBy(data?.findings ?? [], ({ kind }) => kind)
  return (
    <Page
      title="Worth a look"
      intro={
        <>
          What an administrator should see without searching. Access that is too wide comes first.
          {mayGetMail && (
            <>
              {' '}
              <AnchorLink to="/account" size="sm" underline="always">
                Get it by mail once a week
              </AnchorLink>
            </>
          )}
        </>
      }
    >
      {error !== null && <Failure error={error} />}
      {ofAccount.error !== null && <Failure error={ofAccount.error} />}
      {data === undefined && error === null && <Loading />}
      {fixing.note}
      {data?.findings.length === 0 && account.length === 0 && !ofAccount.isLoading && ofAccount.error === null && (
        <EmptyState title="Nothing to see">
          Public things with private names, guests without an end and tokens that nobody uses would be here.
        </EmptyState>
      )}
      {data?.isComplete === false && (
        <Text size="sm">
          More was found than is listed. Fix these first, or check one organization on the command line.
        </Text>
      )}
      {[...byKind].map(([kind, findings]) => (
        <Kind key={kind} {...KINDS[kind]}>
          {findings.map((finding, index) => (
            <Row
              key={JSON.stringify(finding)}
              id={`${kind}-${index}`}
              finding={finding}
              link={<Subject finding={finding} apiKey={key.id} describedBy={`${kind}-${index}`} />}
            >
              {fixesOf(finding).map((one) => (
                <PermittedButton
                  key={one.label}
                  aria-describedby={`${kind}-${index}`}
                  needs={neededFor(placeOf(key, one), one.change)}
                  size="xs"
                  variant="default"
                  title={one.label}
                  classNames={{ label: classes.label }}
                  onClick={() => fixing.start(placeOf(key, one), one.change)}
                >
                  {one.label}
                </PermittedButton>
              ))}
            </Row>
          ))}
        </Kind>
      ))}
      {[...Map.groupBy(account, ({ kind }) => kind)].map(([kind, findings]) => (
        <Kind key={kind} {...ACCOUNT_KINDS[kind]}>
          {findings.map((finding, index) => (
            <Row
              key={JSON.stringify(finding)}
              id={`${kind}-${index}`}
              finding={finding}
              link={<AccountSubject finding={finding} describedBy={`${kind}-${index}`} />}
            />
          ))}
        </Kind>
      ))}
      {fixing.dialog}
    </Page>
  )
}

function Kind({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  return (
    <Section title={title} intro={intro}>
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {children}
      </Stack>
    </Section>
  )
}

interface RowProps {
  /** The id of the sentence, which names the subject of each link and button: many have the same words. */
  id: string
  finding: Pick<Finding, 'sentence' | 'since'>
  link: ReactNode
  children?: ReactNode
}

function Row({ id, finding: { sentence, since }, link, children }: RowProps) {
  return (
    <Group component="li" justify="space-between" gap="xs" align="baseline">
      <Text size="sm" flex={1} miw={220} style={{ overflowWrap: 'anywhere' }}>
        {/* The sentence is English, also one that begins with a name from right to left. */}
        <bdi id={id} dir="ltr">
          {sentence}
        </bdi>
        {since !== undefined && (
          <Text span c="dimmed" size="sm">
            {' '}
            · <Timestamp at={since} />
          </Text>
        )}{' '}
        {link}
      </Text>
      <Group gap="xs" miw={0}>
        {children}
      </Group>
    </Group>
  )
}
