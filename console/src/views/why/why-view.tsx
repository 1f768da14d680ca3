/** Explains why a user has or does not have access to a resource. The URL contains the question, so it can be shared. */
import { Button, CopyButton, Paper } from '@mantine/core'
import { IconCheck, IconLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { Loading } from '../../components/feedback/loading.tsx'
import { Page } from '../../components/page/page.tsx'
import { useFound } from '../../components/search/use-found.ts'
import { explanationQuery } from '../../queries/access/access.ts'
import { nameOfResource } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'
import { Answer } from './answer.tsx'
import { QuestionForm } from './question-form.tsx'
import { rememberQuestion } from './recent-questions.ts'

export function WhyView() {
  const key = useKey()
  const question = useSearch({ from: '/keys/$apiKey/why' })
  const { userId, id } = question
  const isAsked = userId !== '' && id !== ''
  /** A question that is asked here moves the focus to its answer; a link to this page does not. */
  const movesFocus = useRef(false)
  useEffect(() => {
    if (!isAsked) movesFocus.current = true
  }, [isAsked])
  const explained = useQuery({
    ...explanationQuery(key, { userId, resource: nameOfResource(question), countPeople: true }),
    enabled: isAsked,
  })
  const users = useFound(key, userId, { kinds: ['user'] })
  const user = users.found.find((one) => one.id === userId)
  const names = { user: user?.name, resource: explained.data?.chain[0]?.name }
  const asked = explained.data === undefined ? undefined : JSON.stringify({ question, ...names })
  useEffect(() => {
    if (asked !== undefined) rememberQuestion(key.id, JSON.parse(asked))
  }, [key.id, asked])
  return (
    <Page
      title="Why"
      intro="See why a user has or does not have access to an organization, folder or document."
      actions={isAsked && <CopyLink />}
    >
      <QuestionForm question={question} names={names} />
      {!isAsked ? (
        <Paper withBorder>
          <EmptyState title="No question yet">
            Select a user and an organization, folder or document, in any order, to see whether the user has access, and
            why.
          </EmptyState>
        </Paper>
      ) : explained.error !== null && explained.data === undefined ? (
        <Failure error={explained.error} />
      ) : explained.data === undefined ? (
        <Loading />
      ) : (
        <Answer
          key={JSON.stringify(question)}
          {...{ question, movesFocus }}
          userName={user?.name}
          similarUsers={user === undefined && !users.isPending ? users.found : []}
          explanation={explained.data}
        />
      )}
    </Page>
  )
}

function CopyLink() {
  return (
    <CopyButton value={location.href}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconLink size={16} aria-hidden />}
          onClick={copy}
        >
          {copied ? 'Copied' : 'Copy link'}
        </Button>
      )}
    </CopyButton>
  )
}
