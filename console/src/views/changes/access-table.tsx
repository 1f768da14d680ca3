/** The access of users at two moments: changed rows first, then unchanged ones. */
import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { HistoryRow } from '#sdk/access-history/question.ts'
import type { Access } from '#sdk/access-history/state.ts'
import type { EventNames } from '#sdk/event-sentences/names.ts'
import { RoleBadge } from '../../components/access/role-badge.tsx'
import { ResourceIcon } from '../../components/resources/resource-icon.tsx'
import { formatDay, formatMoment } from '../../components/values/times.ts'
import { useTimeFormat } from '../../components/values/timestamp.tsx'
import { AnchorLink } from '../../links/links.tsx'
import { WHY } from '../../links/paths.ts'
import type { HistoryQuestion, NamedHistory } from '../../queries/access/history.ts'
import { isSame, searchOf } from '../../resource.ts'
import { useKey } from '../../session/use-session.ts'

const ROWS_MAX = 500

type Change = 'gained' | 'lost' | 'changed' | 'same'
const ORDER: readonly Change[] = ['gained', 'lost', 'changed', 'same']

function changeOf({ before, after }: HistoryRow): Change {
  if (before.accessRole === undefined) return after.accessRole === undefined ? 'same' : 'gained'
  if (after.accessRole === undefined) return 'lost'
  return before.accessRole === after.accessRole && before.grant?.expiresAt === after.grant?.expiresAt
    ? 'same'
    : 'changed'
}

interface AccessTableProps {
  question: HistoryQuestion
  history: NamedHistory
}

export function AccessTable({ question, history }: AccessTableProps) {
  useTimeFormat()
  const { rows, names, to } = history
  const sorted = rows
    .map((row) => ({ row, change: changeOf(row) }))
    .sort((one, other) => ORDER.indexOf(one.change) - ORDER.indexOf(other.change))
  const isOfUser = 'userId' in question.subject
  const [showsSame, setShowsSame] = useState(false)
  const changed = sorted.filter(({ change }) => change !== 'same')
  const same = sorted.length - changed.length
  const shown = showsSame || changed.length === 0 ? sorted : changed
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Access
      </Title>
      <Text size="sm">
        {summaryOf(
          sorted.map(({ change }) => change),
          isOfUser ? WORDS_OF_RESOURCES : WORDS,
        )}
      </Text>
      {sorted.length > 0 && (
        <Table aria-label="Access at both moments" layout="fixed" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{isOfUser ? 'Resource' : 'User'}</Table.Th>
              <Table.Th>{formatMoment(question.from)}</Table.Th>
              <Table.Th>{question.to === undefined ? 'Now' : formatMoment(to)}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.slice(0, ROWS_MAX).map(({ row, change }) => (
              <Table.Tr key={`${row.userId} ${row.place.type} ${row.place.id}`} data-change={change}>
                <Table.Th scope="row" fw={change === 'same' ? 400 : 600} style={{ overflowWrap: 'anywhere' }}>
                  {isOfUser ? (
                    <PlaceCell row={row} {...{ names, question }} />
                  ) : (
                    <UserCell row={row} {...{ names, question }} />
                  )}
                </Table.Th>
                <AccessCell access={row.before} row={row} {...{ names, question }} />
                <AccessCell access={row.after} row={row} {...{ names, question }} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {same > 0 && changed.length > 0 && (
        <Group>
          <Button variant="default" size="xs" aria-expanded={showsSame} onClick={() => setShowsSame(!showsSame)}>
            {showsSame ? 'Hide what is the same' : `Show ${same.toLocaleString('en')} the same`}
          </Button>
        </Group>
      )}
      {shown.length > ROWS_MAX && (
        <Text size="sm" c="dimmed">
          The first {ROWS_MAX} of {shown.length.toLocaleString('en')} are listed.
        </Text>
      )}
    </Stack>
  )
}

const WORDS: Readonly<Record<Change, string>> = {
  gained: 'gained access',
  lost: 'lost access',
  changed: 'with another role or expiry',
  same: 'the same',
}
const WORDS_OF_RESOURCES: Readonly<Record<Change, string>> = {
  ...WORDS,
  gained: 'with new access',
  lost: 'no longer accessible',
}

function summaryOf(changes: readonly Change[], words: Readonly<Record<Change, string>>): string {
  if (changes.length === 0) return 'No access at either moment.'
  if (changes.every((change) => change === 'same')) return 'The same at both moments.'
  return ORDER.flatMap((change) => {
    const count = changes.filter((one) => one === change).length
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${words[change]}`]
  }).join(', ')
}

interface CellProps {
  row: HistoryRow
  names: EventNames
  question: HistoryQuestion
}

/** Leads to the reason of the access now. */
function UserCell({ row: { userId, place }, names, question: { organizationId } }: CellProps) {
  const params = { apiKey: useKey().id }
  if (userId === undefined) return 'Everyone else'
  return (
    <AnchorLink inherit to={WHY} params={params} search={{ ...searchOf(organizationId, place), userId }} title={userId}>
      <bdi>{names.of({ kind: 'user', id: userId }) ?? userId}</bdi>
    </AnchorLink>
  )
}

const named = ({ type: kind, id }: HistoryRow['place'], { names, question }: Pick<CellProps, 'names' | 'question'>) =>
  names.of({ kind, id, ...(kind !== 'organization' && { organizationId: question.organizationId }) }) ?? id

function PlaceCell({ row: { place }, ...rest }: CellProps) {
  return (
    <span title={place.id}>
      <ResourceIcon type={place.type} labelled /> <bdi>{named(place, rest)}</bdi>
    </span>
  )
}

function AccessCell({ access, ...cell }: CellProps & { access: Access }) {
  return (
    <Table.Td style={{ verticalAlign: 'top' }}>
      <RoleBadge role={access.accessRole} />
      <Text size="xs" c="dimmed" mt={2} style={{ overflowWrap: 'anywhere' }}>
        {reasonOf(access, cell)}
      </Text>
    </Table.Td>
  )
}

/** So that the characters of a name do not change the direction of the text around it. */
const isolated = (name: string): string => `\u2068${name}\u2069`

/** Says why, in the words of the rules of access. */
function reasonOf({ reason, grant }: Access, { row, names, question }: CellProps): string {
  if (reason === 'access_type') return 'open to everyone'
  if (reason === 'membership') return 'as a member of the organization'
  if (reason === 'disabled') return 'disabled'
  if (reason === 'user_disabled') return 'the user was disabled'
  if (reason === 'does_not_exist') return 'was not there'
  if (grant === undefined) return ''
  const { organizationId } = question
  const place = isSame(grant, row.place) ? 'a grant here' : `from ${isolated(named(grant, { names, question }))}`
  const group =
    grant.groupId === undefined ? undefined : names.of({ kind: 'userGroup', id: grant.groupId, organizationId })
  const through = grant.groupId === undefined ? '' : `, through ${isolated(group ?? grant.groupId)}`
  const until = grant.expiresAt === undefined ? '' : `, until ${formatDay(grant.expiresAt * 1_000)}`
  return `${place}${through}${until}`
}
