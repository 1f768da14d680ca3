/**
 * A field for a date and time, in the time zone of the browser. It is typed as 2027-03-31 18:00, which reads the same in every
 * country, or chosen in the calendar of the browser; the words below say which moment it is.
 */
import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { type ReactNode, useRef, useState } from 'react'
import classes from './date-time-input.module.css'

interface MomentInputProps extends Pick<TextInputProps, 'w'> {
  label: string
  /** Said before the time zone. */
  description?: string
  error?: ReactNode
  required?: boolean
  /** Unix milliseconds; undefined when empty. */
  value: number | undefined
  onChange: (value: number | undefined) => void
}

const TYPED = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/

/** Returns the local moment of a text such as 2027-03-31 18:00; midnight without a time; undefined for what is none. */
function momentOf(text: string): number | undefined {
  const [, year, month, day, hours = '0', minutes = '0', seconds = '0'] = TYPED.exec(text.trim()) ?? []
  if (year === undefined) return undefined
  const moment = new Date(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes), Number(seconds))
  const isReal =
    moment.getMonth() === Number(month) - 1 &&
    moment.getDate() === Number(day) &&
    moment.getMinutes() === Number(minutes)
  return isReal ? moment.getTime() : undefined
}

/** Returns the local time without a time zone, as `datetime-local` fields have it. */
function localText(at: number): string {
  const moment = new Date(at)
  return new Date(at - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** Returns a time as somebody would type it, without seconds if they are 0. */
const typedText = (at: number): string => localText(at).replace('T', ' ').replace(/:00$/, '')

const inWords = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const ZONE = `In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`

export function DateTimeInput({ value, onChange, description = '', ...rest }: MomentInputProps) {
  const calendar = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<string>()
  const [isLeft, setLeft] = useState(false)
  // The typed text is shown as long as it means the value.
  const text = typed !== undefined && momentOf(typed) === value ? typed : value === undefined ? '' : typedText(value)
  const words = value === undefined ? `${ZONE}.` : `${ZONE}: ${inWords.format(value)}.`
  const isWrong = isLeft && value === undefined && text.trim() !== ''
  return (
    <TextInput
      {...rest}
      error={isWrong ? 'Enter a date and a time such as 2027-03-31 18:00.' : rest.error}
      onFocus={() => setLeft(false)}
      onBlur={() => setLeft(true)}
      description={`${description} ${words}`.trim()}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder="2027-03-31 18:00"
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(momentOf(currentTarget.value))
      }}
      rightSection={
        <>
          <input
            ref={calendar}
            type="datetime-local"
            tabIndex={-1}
            aria-hidden
            className={classes.calendar}
            value={value === undefined ? '' : localText(value)}
            onChange={({ currentTarget }) => onChange(momentOf(currentTarget.value))}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Open the calendar"
            onClick={() => calendar.current?.showPicker()}
          >
            <IconCalendar size={16} aria-hidden />
          </ActionIcon>
        </>
      }
    />
  )
}
