/** One thread: where it is, its comments, and the actions of a moderator. */
import { Skeleton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { ThreadRecord } from '#sdk/generated/operations.ts'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { Page } from '../../components/page/page.tsx'
import { Section } from '../../components/page/section.tsx'
import { CommentMails } from '../../components/people/comment-mails.tsx'
import { UserLink } from '../../components/people/user-link.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { ResourceLink } from '../../components/resources/resource-link.tsx'
import { type Fact, Facts } from '../../components/values/facts.tsx'
import { Id } from '../../components/values/id.tsx'
import { Timestamp } from '../../components/values/timestamp.tsx'
import { AnchorLink, ButtonLink } from '../../links/links.tsx'
import { placeKey, resourceNamesQuery } from '../../queries/resources/resource-names.ts'
import { isResolved, setThreadState, type ThreadName, threadQuery } from '../../queries/resources/threads.ts'
import { useKey } from '../../session/use-session.ts'
import { NotFound } from '../../shell/not-found.tsx'
import { shownName } from '../../shown-name.ts'
import { DeleteThread } from './delete-thread.tsx'
import { ThreadState } from './thread-columns.tsx'
import { ThreadComments } from './thread-comments.tsx'

export function ThreadView() {
  const key = useKey()
  const navigate = useNavigate()
  const {
    organizationId = '',
    documentId = '',
    annotationId = '',
  } = useSearch({ from: '/keys/$apiKey/threads/thread' })
  const name: ThreadName = { organizationId, documentId, annotationId }
  const { data: thread, error } = useQuery(threadQuery(key, name))
  const place = { type: 'document' as const, id: documentId }
  const { data: names } = useQuery(resourceNamesQuery(key, organizationId, [place]))
  const documentName = names?.get(placeKey(place))
  const [deleting, setDeleting] = useState(false)
  const state = useMutation({
    ...setThreadState(key, name),
    onSuccess: (_result, set) =>
      void notifications.show({
        message: set === 'open' ? 'The thread is open again.' : 'The thread was resolved.',
        role: 'status',
      }),
    onError: notifyFailure,
  })
  const ofDocument = {
    to: '/keys/$apiKey/threads',
    params: { apiKey: key.id },
    search: { organizationId, documentId },
  } as const
  if (thread === null)
    return (
      <NotFound
        action={
          <ButtonLink {...ofDocument} variant="default">
            Threads of the document
          </ButtonLink>
        }
      >
        There is no such thread on this document. It may have been deleted.
      </NotFound>
    )
  return (
    <Page
      title="Thread"
      crumbs={[
        <AnchorLink key="threads" size="sm" {...ofDocument} search={{ organizationId }} activeOptions={{ exact: true }}>
          Threads
        </AnchorLink>,
        <AnchorLink key="document" size="sm" {...ofDocument} activeOptions={{ exact: true }}>
          <bdi>{shownName(documentName, documentId)}</bdi>
        </AnchorLink>,
      ]}
      intro={<Id>{annotationId}</Id>}
      actions={
        thread && (
          <>
            <PermittedButton
              needs="threads.update"
              variant="default"
              loading={state.isPending}
              onClick={() => state.mutate(isResolved(thread) ? 'open' : 'resolved')}
            >
              {isResolved(thread) ? 'Reopen' : 'Resolve'}
            </PermittedButton>
            <PermittedButton needs="threads.delete" color="red" variant="outline" onClick={() => setDeleting(true)}>
              Delete…
            </PermittedButton>
          </>
        )
      }
    >
      {error !== null && <Failure error={error} />}
      {thread === undefined && error === null && <Skeleton height={320} />}
      {thread && (
        <>
          <Section title="About">
            <Facts label="Thread" facts={factsOf(thread, documentName)} />
          </Section>
          <ThreadComments thread={thread} />
          <Section title="Mails" intro="Who is mailed these comments and when, and who gets none and why.">
            <CommentMails question={name} />
          </Section>
        </>
      )}
      {thread && deleting && (
        <DeleteThread thread={thread} onDeleted={() => void navigate(ofDocument)} onClose={() => setDeleting(false)} />
      )}
    </Page>
  )
}

const VISIBILITY = {
  public: 'Everybody who can open the document',
  organizationPrivate: 'Private: members of an organization',
  restricted: 'Private: named people',
}

function factsOf(thread: ThreadRecord, name: string | undefined): Fact[] {
  const { from, assignedTo, priority, metadata, visibilityConfig, createdAt, lastUpdated, resolvedByUser } = thread
  const person = (user: { userId: string; name?: string }) => <UserLink userId={user.userId} name={user.name} />
  return [
    [
      'Document',
      <ResourceLink
        key="d"
        organizationId={metadata.organizationId}
        resource={{ type: 'document', id: metadata.documentId, ...(name !== undefined && { name }) }}
      />,
    ],
    ['Status', <ThreadState key="s" thread={thread} />],
    ['Started by', person(from)],
    ...(assignedTo ? [['Assignee', person(assignedTo)] as const] : []),
    ...(resolvedByUser ? [['Resolved by', person(resolvedByUser)] as const] : []),
    ...(priority ? [['Priority', <bdi key="p">{priority.name}</bdi>] as const] : []),
    ['Who sees it', VISIBILITY[visibilityConfig.type]],
    ['Started', <Timestamp key="c" at={createdAt} />],
    ['Updated', <Timestamp key="u" at={lastUpdated} />],
  ]
}
