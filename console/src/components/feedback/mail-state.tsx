/** Says whether an API key can send mail, and the result of its last mail. */
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { MailStatus } from '#sdk/session.ts'
import { mailStatusQuery } from '../../queries/keys/key-settings.ts'
import { useKey } from '../../session/use-session.ts'
import { StateBadge } from '../values/state-badge.tsx'
import { Timestamp } from '../values/timestamp.tsx'

interface MailState {
  state: 'good' | 'bad' | 'off'
  word: string
  text: ReactNode
}

const MISSING: Record<MailStatus['missing'][number], string> = {
  server:
    'This server has no mail server. Set SMTP_URL and MAIL_FROM on the server, or choose SendGrid in the settings of the key.',
  apiKey: 'SendGrid needs its API key.',
  fromEmail: 'SendGrid needs the address of the sender.',
}

export function mailStateOf({ isOn, missing, retriedKind, lastSentAt, lastFailure }: MailStatus): MailState {
  const why = missing.map((one) => MISSING[one]).join(' ')
  if (!isOn) return { state: 'off', word: 'off', text: why || 'Mail could be sent if it were on.' }
  if (why !== '') return { state: 'bad', word: 'cannot send', text: why }
  if (lastFailure !== undefined && lastFailure.at > (lastSentAt ?? 0))
    return {
      state: 'bad',
      word: 'failing',
      text: (
        <>
          The last mail ({lastFailure.kind}) failed <Timestamp at={lastFailure.at} />.
        </>
      ),
    }
  if (retriedKind !== undefined)
    return { state: 'bad', word: 'retrying', text: `A mail (${retriedKind}) could not be sent yet and is tried again.` }
  if (lastSentAt === undefined)
    return { state: 'off', word: 'never sent', text: 'No mail was sent in the last 30 days.' }
  return {
    state: 'good',
    word: 'sending',
    text: (
      <>
        The last mail was sent <Timestamp at={lastSentAt} />.
      </>
    ),
  }
}

/** Shows in the settings whether mails are sent. */
export function MailStateLine() {
  const { data } = useQuery(mailStatusQuery(useKey()))
  if (data === undefined) return null
  const { state, word, text } = mailStateOf(data)
  return (
    <Group gap="xs" role="group" aria-label="State of mail" wrap="nowrap" align="start">
      <StateBadge state={state}>{word}</StateBadge>
      <Text size="sm" component="div">
        {text}
      </Text>
    </Group>
  )
}

/** Says in forms that invite whether the invited person gets a mail. */
export function InvitationMailNote() {
  const { data } = useQuery(mailStatusQuery(useKey()))
  if (data === undefined) return null
  const { isOn, reportsInvitations, missing } = data
  const why = !isOn
    ? 'e-mail is turned off.'
    : missing.length > 0
      ? 'no mail can be sent.'
      : reportsInvitations
        ? undefined
        : 'mails about invitations are turned off.'
  return (
    <Text size="sm" c="dimmed">
      {why === undefined
        ? 'The person gets a mail about the invitation.'
        : `The person gets no mail, so tell them yourself: ${why}`}
    </Text>
  )
}
