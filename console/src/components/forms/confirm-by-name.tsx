/** Confirms a destructive action: its name has to be typed, so that nobody deletes the wrong thing. */
import { Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Needs } from '../../session/permission.ts'
import classes from './confirm-by-name.module.css'
import { FormDialog } from './form-dialog.tsx'

interface ConfirmByNameProps {
  /** `Delete the organization` */
  title: string
  /** The text to type: the name that people know it by. */
  name: string
  /** The API key that is affected, if it is not the key in the URL. */
  apiKey?: string
  /** Explains what the action affects. */
  children: ReactNode
  /** The label of the button. */
  action?: string
  needs: Needs
  busy: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}

export function ConfirmByName(props: ConfirmByNameProps) {
  const { title, name, apiKey, children, action = 'Delete', needs, busy, error, onConfirm, onClose } = props
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState(false)
  const isMatch = typed === name || (readable(typed) !== '' && readable(typed) === readable(name))
  function submit(): void {
    if (isMatch) onConfirm()
    else setWrong(true)
  }
  return (
    <FormDialog {...{ title, action, apiKey, needs, error, busy, onClose }} danger onSubmit={submit}>
      <Text size="sm" component="div" className={classes.effect}>
        {children}
      </Text>
      <TextInput
        label={
          <>
            Type <bdi className={classes.name}>{name}</bdi> to confirm
          </>
        }
        value={typed}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        error={wrong && !isMatch ? 'This does not match the name.' : undefined}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </FormDialog>
  )
}

/**
 * Returns what can be read and typed of a name: letters with accents have two spellings that look the same, and nobody
 * sees how many spaces there are, or characters that are not drawn.
 */
const readable = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
