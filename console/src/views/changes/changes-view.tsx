/** The changes between two moments for a user or a resource: the access at both moments, and the events between them. */

import { Button, Chip, Group, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { TooManyEvents } from '#sdk/access-history/read-events.ts'
import { TooManyGrants } from '#sdk/access-history/read-present.ts'
import type { NamedEvent } from '#sdk/event-sentences/named-events.ts'
import { EmptyState } from '../../components/feedback/empty-state.tsx'
import { Failure } from '../../components/feedback/failure.tsx'
import { DateTimeInput } from '../../components/forms/date-time-input.tsx'
import { Page } from '../../components/page/page.tsx'
import { OrganizationSelect } from '../../components/resources/organization-select.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { ACCESS } from '../../links/paths.ts'
import type { ChangesSearch } from '../../links/searches.ts'
import { useAddress } from '../../links/use-address.ts'
import { type HistoryQuestion, historyQuery, type NamedHistory } from '../../queries/access/history.ts'
import { staticRows } from '../../queries/pages/rows.ts'
import { useKey } from '../../session/use-session.ts'
import { startOfDay } from '../events/days.ts'
import { EventDetail } from '../events/event-detail.tsx'
import { EventFeed } from '../events/event-feed.tsx'
import { useToday } from '../events/use-today.ts'
import { AccessTable } from './access-table.tsx'
import { Limits } from './limits.tsx'

/** Days before today. */
const PERIODS = [1, 7, 30, 90] as const
const DEFAULT_DAYS = 7

const subjectOf = ({ organizationId, type = 'organization', id, userId }: ChangesSearch): HistoryQuestion['subject'] =>
  userId === undefined ? { place: { type, id: id ?? organizationId } } : { userId }

export function ChangesView() {
  const key = useKey()
  const today = useToday()
  const [search, change] = useAddress<ChangesSearch>(useSearch({ from: '/keys/$apiKey/changes' }))
  const { organizationId, userId, from = startOfDay(today, -DEFAULT_DAYS), to } = search
  const question: HistoryQuestion = { organizationId, subject: subjectOf(search), from, to }
  const isAsked = organizationId !== '' && (to === undefined || from < to)
  const { data, error, isFetching } = useQuery({ ...historyQuery(key, question), enabled: isAsked })
  const show = (fields: Partial<ChangesSearch>) => change((search) => ({ ...search, ...fields }))
  return (
    <Page
      title="Changes"
      intro={<Subject question={question} history={data} />}
      crumbs={[<Crumb key="subject" search={search} history={data} />]}
    >
      <Paper withBorder p="md">
        <Group align="start" gap="sm">
          {userId !== undefined && (
            <OrganizationSelect
              label="Organization"
              value={organizationId}
              onChange={(organizationId) => show({ organizationId })}
            />
          )}
          <Moments key={`${from} ${to}`} from={from} to={to} onShow={show} />
        </Group>
      </Paper>
      {organizationId === '' && (
        <EmptyState title="Select an organization">Access is given in organizations, one at a time.</EmptyState>
      )}
      {isAsked && error !== null && <HistoryFailure error={error} />}
      {isAsked && isFetching && (
        <Text size="sm" c="dimmed" role="status">
          Reading the events since then…
        </Text>
      )}
      {data !== undefined && <History question={question} history={data} />}
    </Page>
  )
}

function HistoryFailure({ error }: { error: Error }) {
  const isTooMany = error instanceof TooManyEvents || error instanceof TooManyGrants
  if (!isTooMany) return <Failure error={error} />
  return (
    <EmptyState title="Too much has happened">
      {error instanceof TooManyEvents
        ? 'There are more events since then than can be gone through here. Select a later moment, or export the events.'
        : 'The organization has more grants than can be gone through here. Export the events instead.'}
    </EmptyState>
  )
}

/** As wide as the longest date in words, whether there is one or not. */
const MOMENT_WIDTH = { base: '100%', sm: 380 } as const

/** The height of the label of a field: the button begins where the input does. On phones it is below the fields. */
const LABEL_HEIGHT = { base: 0, sm: 24 } as const

interface MomentsProps {
  from: number
  to: number | undefined
  onShow: (change: Pick<ChangesSearch, 'from' | 'to'>) => void
}

function Moments({ from, to, onShow }: MomentsProps) {
  const today = useToday()
  const [values, setValues] = useState<{ from: number | undefined; to: number | undefined }>({ from, to })
  const isReversed = values.from !== undefined && values.to !== undefined && values.from >= values.to
  return (
    <>
      <DateTimeInput
        label="Then"
        w={MOMENT_WIDTH}
        value={values.from}
        onChange={(from) => setValues({ ...values, from })}
      />
      <DateTimeInput
        label="Later (empty: now)"
        w={MOMENT_WIDTH}
        value={values.to}
        onChange={(to) => setValues({ ...values, to })}
      />
      <Button
        mt={LABEL_HEIGHT}
        disabled={values.from === undefined || isReversed}
        onClick={() => onShow(definedOf(values))}
      >
        Compare
      </Button>
      <Chip.Group
        value={to === undefined ? String(PERIODS.find((days) => startOfDay(today, -days) === from)) : null}
        onChange={(days) => onShow({ from: startOfDay(today, -Number(days)) })}
      >
        <Group gap="xs" role="group" aria-label="Since">
          {PERIODS.map((days) => (
            <Chip name="period" key={days} value={String(days)} size="sm">
              {days === 1 ? 'Since yesterday' : `${days} days`}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {isReversed && (
        <Text size="sm" c="red" role="alert">
          The first moment must be before the second.
        </Text>
      )}
    </>
  )
}

const definedOf = ({
  from,
  to,
}: {
  from: number | undefined
  to: number | undefined
}): Pick<ChangesSearch, 'from' | 'to'> => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
})

function nameOf({ organizationId, subject }: HistoryQuestion, history: NamedHistory | undefined): string {
  if ('userId' in subject) return history?.names.of({ kind: 'user', id: subject.userId }) ?? subject.userId
  const { type: kind, id } = subject.place
  return history?.names.of({ kind, id, ...(kind !== 'organization' && { organizationId }) }) ?? id
}

function Subject({ question, history }: { question: HistoryQuestion; history: NamedHistory | undefined }) {
  const name = <bdi>{nameOf(question, history)}</bdi>
  return 'userId' in question.subject ? (
    <>What {name} had access to then and later, and what happened in between.</>
  ) : (
    <>Who had access to {name} then and later, and what happened in between.</>
  )
}

function Crumb({ search, history }: { search: ChangesSearch; history: NamedHistory | undefined }) {
  const { organizationId, userId, type = 'organization', id = organizationId } = search
  const params = { apiKey: useKey().id }
  const name = nameOf({ organizationId, subject: subjectOf(search), from: 0, to: undefined }, history)
  if (userId !== undefined)
    return (
      <AnchorLink size="sm" to="/keys/$apiKey/users/user" params={params} search={{ userId, organizationId }}>
        <bdi>{name}</bdi>
      </AnchorLink>
    )
  return (
    <AnchorLink size="sm" to={ACCESS} params={params} search={{ organizationId, type, id }}>
      <bdi>{name}</bdi>
    </AnchorLink>
  )
}

function History({ question, history }: { question: HistoryQuestion; history: NamedHistory }) {
  const [shown, show] = useState<NamedEvent>()
  return (
    <>
      <Limits limits={history.limits} names={history.names} organizationId={question.organizationId} />
      <AccessTable question={question} history={history} />
      <Title order={2} size="h4">
        In between
      </Title>
      <EventFeed
        rows={staticRows(history.events.toReversed())}
        onShow={show}
        empty={
          <Text size="sm" c="dimmed">
            No events about this in between.
          </Text>
        }
      />
      {shown !== undefined && <EventDetail row={shown} onClose={() => show(undefined)} />}
    </>
  )
}
