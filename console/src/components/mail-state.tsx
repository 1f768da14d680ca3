/** Says whether an API key can send mail, and what became of its last one. */
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { MailStatus } from '#sdk/session.ts'
import { mailStatusQuery } from '../queries/key-settings.ts'
import { useKey } from '../session/use-session.ts'
import { StateBadge } from './state-badge.tsx'
import { Timestamp } from './timestamp.tsx'

interface MailState {
  state: 'good' | 'bad' | 'off'
  word: string
  text: ReactNode
}

export function mailStateOf({ isOn, whyNot, retriedKind, lastSentAt, lastFailure }: MailStatus): MailState {
  const why = whyNot === undefined ? undefined : `${whyNot.charAt(0).toUpperCase()}${whyNot.slice(1)}.`
  if (!isOn) return { state: 'off', word: 'off', text: why ?? 'Mail could be sent if it were on.' }
  if (why !== undefined) return { state: 'bad', word: 'cannot send', text: why }
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

/** For the settings. */
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

/** For forms that invite: whether the invited person gets a mail. */
export function InvitationMailNote() {
  const { data } = useQuery(mailStatusQuery(useKey()))
  if (data === undefined) return null
  const isMailed = data.isOn && data.reportsInvitations && data.whyNot === undefined
  return (
    <Text size="sm" c="dimmed">
      {isMailed
        ? 'The person gets a mail about the invitation.'
        : `The person gets no mail, so tell them yourself: ${
            data.isOn && data.whyNot === undefined
              ? 'mails about invitations are turned off.'
              : data.isOn
                ? 'no mail can be sent.'
                : 'e-mail is turned off.'
          }`}
    </Text>
  )
}
