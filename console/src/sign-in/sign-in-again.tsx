/**
 * The dialog above a page whose session has ended. The page keeps what was typed, and continues when its owner has signed in
 * again, here or in another tab. It is a modal dialog of the browser: nothing below it can be used, also not the dialogs of
 * the component library.
 */
import { Anchor, Button, Stack, Text, Title } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import type { SignedIn } from '#sdk/session.ts'
import { SENDS_LOGIN_LINKS } from '../page-data.ts'
import { CompanySignIn, hasCompany } from './company-sign-in.tsx'
import { LoginLinkRequest } from './login-link-request.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'
import classes from './sign-in-again.module.css'
import { TokenSignIn } from './token-sign-in.tsx'

let isOpen = false

// Registered before the listeners of dialogs, which Escape would close below this one, with what was typed into them.
addEventListener(
  'keydown',
  (event) => {
    if (!isOpen || event.key !== 'Escape') return
    event.preventDefault()
    event.stopImmediatePropagation()
  },
  { capture: true },
)

export function SignInAgain({ owner }: { owner: SignedIn }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    isOpen = true
    element?.showModal()
    element?.querySelector<HTMLInputElement>('input:not([readonly])')?.focus()
    // A browser can close it in other ways, such as the key of a phone that goes back.
    const reopen = () => element?.showModal()
    element?.addEventListener('close', reopen)
    return () => {
      isOpen = false
      element?.removeEventListener('close', reopen)
      element?.close() // returns the focus
    }
  }, [])
  return (
    <dialog ref={dialog} aria-labelledby={id} className={classes.dialog}>
      <Stack gap="md">
        <Title order={2} size="h3" id={id}>
          Sign in again
        </Title>
        <Text size="sm">
          Your session has expired or was ended, or{' '}
          {owner.operator === undefined ? 'the token was revoked' : 'you were removed'}. What you have typed is kept:
          this page continues when {owner.operator === undefined ? 'you have' : <OwnerName {...owner.operator} />}{' '}
          signed in again, here or in another tab.
        </Text>
        {owner.operator !== undefined ? (
          <OperatorSignIn />
        ) : owner.workspaceId !== undefined ? (
          <TokenSignIn kind="workspace" id={owner.workspaceId} />
        ) : (
          <TokenSignIn kind="apiKey" id={owner.apiKey} />
        )}
        <Button variant="subtle" onClick={() => location.assign('/console/')}>
          Leave this page
        </Button>
      </Stack>
    </dialog>
  )
}

const OwnerName = ({ name, email }: { name: string; email: string }) => (
  <>
    <bdi>{name === '' ? email : name}</bdi> has
  </>
)

function OperatorSignIn() {
  const [isCompany, setCompany] = useState(() => hasCompany() || !SENDS_LOGIN_LINKS)
  return (
    <>
      {isCompany ? <CompanySignIn inNewTab /> : <LoginLinkRequest />}
      <PasskeySignIn />
      {SENDS_LOGIN_LINKS && (
        <Anchor component="button" type="button" size="sm" ta="center" onClick={() => setCompany(!isCompany)}>
          {isCompany ? 'Sign in with a link by e-mail' : 'Sign in with your company'}
        </Anchor>
      )}
    </>
  )
}
