/** The palette: finds organizations, folders, documents, people, groups, threads, keys, views and actions, and opens or does them. */
import { Group, Kbd, Loader, Modal, Text, TextInput, useMantineColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { OptionList } from '../../components/combobox/option-list.tsx'
import { useCombobox } from '../../components/combobox/use-combobox.ts'
import { Failure, notifyFailure } from '../../components/feedback/failure.tsx'
import { setTimeFormat } from '../../components/values/times.ts'
import { signOut } from '../../session/session.ts'
import { ConfirmDialog } from '../../sign-in/confirm-dialog.tsx'
import type { Question } from './commands.ts'
import { type Entry, useEntries } from './entries.tsx'
import classes from './palette.module.css'

interface PaletteProps {
  /** Undefined when no key is open: then there is nothing but keys, views and actions. */
  apiKey: string | undefined
  typed: string
  onType: (typed: string) => void
  onClose: () => void
}

export default function Palette(props: PaletteProps) {
  const { onClose } = props
  const isPhone = useMediaQuery('(max-width: 36em)') === true
  const [question, ask] = useState<Question>()
  const [confirming, setConfirming] = useState(false)
  if (confirming) return <ConfirmDialog onClose={onClose} />
  return (
    <Modal
      opened
      onClose={onClose}
      title={question?.title ?? 'Search'}
      size="lg"
      padding="sm"
      fullScreen={isPhone}
      transitionProps={{ duration: 0 }}
    >
      <Search {...props} question={question} onAsk={ask} onConfirm={() => setConfirming(true)} />
    </Modal>
  )
}

interface SearchProps extends PaletteProps {
  question: Question | undefined
  onAsk: (question: Question | undefined) => void
  onConfirm: () => void
}

function Search({ apiKey, question, typed, onType, onAsk, onConfirm, onClose }: SearchProps) {
  const { options, isPending, hasFailed, error } = useEntries(apiKey, typed, question)
  const act = useDeeds(onClose)
  const combobox = useCombobox<Entry>({
    options,
    isPending,
    hasFailed,
    typed,
    alwaysOpen: true,
    onPick: ({ does }) => {
      // The field stays, and keeps the focus, for the answer.
      onType('')
      if (does === 'confirm') onConfirm()
      else if (does !== 'sign out' && 'asks' in does) onAsk(does.asks)
      else act(does)
    },
  })
  const { inputProps } = combobox
  return (
    <>
      <TextInput
        data-autofocus
        {...inputProps}
        aria-label={question?.title ?? 'Search'}
        placeholder={question === undefined ? 'Go to anything by name, id, e-mail address or comment' : 'Name or id'}
        size="md"
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={isPending ? <Loader size="xs" aria-hidden /> : null}
        value={typed}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Backspace' && typed === '') onAsk(undefined)
          inputProps.onKeyDown(event)
        }}
      />
      <OptionList
        label="Results"
        combobox={combobox}
        options={options}
        isPending={isPending}
        message={undefined}
        className={classes.results}
        isSilent
      />
      {error !== null && <Failure error={error} />}
      <Text size="sm" c="dimmed" role="status" px="xs" pt="xs">
        {statusOf(typed.trim(), { options, isPending, hasFailed, hasKey: apiKey !== undefined, question })}
      </Text>
      <Group gap="xs" visibleFrom="sm" px="xs" pt="xs" c="dimmed" fz="xs" aria-hidden>
        <Kbd size="xs">↑</Kbd>
        <Kbd size="xs">↓</Kbd> select <Kbd size="xs">Enter</Kbd> open <Kbd size="xs">Esc</Kbd> close
      </Group>
    </>
  )
}

/** Returns a function that does what a command says, and closes the palette. */
function useDeeds(onClose: () => void) {
  const navigate = useNavigate()
  const { setColorScheme } = useMantineColorScheme()
  const leave = useMutation({ mutationFn: signOut, onError: notifyFailure })
  return (does: Exclude<Entry['does'], { asks: Question } | 'confirm'>): void => {
    onClose()
    if (does === 'sign out') leave.mutate()
    else if ('colorScheme' in does) setColorScheme(does.colorScheme)
    else if ('times' in does) setTimeFormat(does.times)
    else void navigate(does.to)
  }
}

interface Status {
  options: readonly Entry[]
  isPending: boolean
  hasFailed: boolean
  hasKey: boolean
  question: Question | undefined
}

/** Says which records were searched if nothing was found. */
function statusOf(typed: string, { options, isPending, hasFailed, hasKey, question }: Status): string {
  if (isPending) return 'Searching…'
  if (options.length > 0) {
    const isNear = options.every((one) => one.isNear)
    return typed === '' ? '' : isNear ? `Nothing contains “${typed}”. This is similar:` : `${options.length} found`
  }
  if (typed === '' || hasFailed) return ''
  if (question !== undefined) return `Nothing found for “${typed}”.`
  const searched = hasKey
    ? 'organizations, users, groups, folders, documents, threads, views and actions'
    : 'API keys and views'
  return `Nothing found for “${typed}” among ${searched}. Ids, names, e-mail addresses and comments are searched.`
}
